package io.quarkiverse.lock.zookeeper.deployment;

import java.util.List;
import java.util.ServiceLoader;

import javax.security.auth.spi.LoginModule;

import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.ExtensionSslNativeSupportBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourceBundleBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageSecurityProviderBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.RuntimeInitializedClassBuildItem;

/** What native-image cannot find by itself in the clients of Curator and ZooKeeper. */
class ZooKeeperNativeProcessor {

    /** The sockets without and with TLS, which the ZooKeeper client creates by their names. */
    private static final List<String> SOCKETS = List.of(
            "org.apache.zookeeper.ClientCnxnSocketNIO",
            "org.apache.zookeeper.ClientCnxnSocketNetty");

    /** The parameter by which their constructors are found. */
    private static final String SOCKET_PARAMETER = "org.apache.zookeeper.client.ZKClientConfig";

    /** Reads JAAS files, and what they name besides the modules of the JDK. */
    private static final List<String> LOGIN = List.of(
            "sun.security.provider.ConfigFile",
            "org.apache.zookeeper.server.auth.DigestLoginModule");

    /** The JDK's texts about logins, by their names up to JDK 21 and later; an image skips those it does not have. */
    private static final List<String> TEXTS = List.of(
            "sun.security.util.Resources",
            "sun.security.util.AuthResources",
            "sun.security.util.resources.security",
            "sun.security.util.resources.auth");

    /** Initialized at run time, because the image must not contain what these classes find out about the JVM that builds it. */
    private static final List<String> AT_RUN_TIME = List.of(
            // How often to log in again, from system properties
            "org.apache.zookeeper.Login",
            // The TLS protocols that this machine has
            "org.apache.zookeeper.common.X509Util",
            "org.apache.zookeeper.common.ClientX509Util",
            // The address of this machine, which is the default content of nodes
            "org.apache.curator.framework.CuratorFrameworkFactory");

    @BuildStep
    void reflection(BuildProducer<ReflectiveClassBuildItem> classes) {
        classes.produce(reflective(SOCKETS, "made by the ZooKeeper client"));
        classes.produce(reflective(List.of(SOCKET_PARAMETER), "the parameter of the sockets' constructors"));
        classes.produce(reflective(LOGIN, "named in JAAS configurations"));
        classes.produce(ReflectiveClassBuildItem.builder("org.apache.zookeeper.AddWatchMode").constructors(false)
                .reason("asked for by Curator").build());
        // Curator reads the addresses of an ensemble with these
        classes.produce(ReflectiveClassBuildItem.builder("org.apache.zookeeper.server.quorum.MultipleAddresses")
                .methods().reason("asked for by Curator").build());
        classes.produce(ReflectiveClassBuildItem.builder("org.apache.zookeeper.server.quorum.QuorumPeer$QuorumServer")
                .fields().reason("asked for by Curator").build());
    }

    private static ReflectiveClassBuildItem reflective(List<String> names, String reason) {
        return ReflectiveClassBuildItem.builder(names.toArray(String[]::new)).constructors().methods().reason(reason).build();
    }

    @BuildStep
    void atRunTime(BuildProducer<RuntimeInitializedClassBuildItem> classes) {
        AT_RUN_TIME.forEach(name -> classes.produce(new RuntimeInitializedClassBuildItem(name)));
    }

    /** A login loads all modules of the JDK, whichever of them the JAAS file names, and fails if one is missing. */
    @BuildStep
    void logins(BuildProducer<ReflectiveClassBuildItem> classes, BuildProducer<NativeImageResourceBundleBuildItem> texts) {
        List<String> modules = ServiceLoader.load(LoginModule.class, ClassLoader.getPlatformClassLoader()).stream()
                .map(provider -> provider.type().getName()).toList();
        classes.produce(reflective(modules, "loaded for each login"));
        TEXTS.forEach(name -> texts.produce(new NativeImageResourceBundleBuildItem(name)));
    }

    /** For {@code DIGEST-MD5} and Kerberos. */
    @BuildStep
    void sasl(BuildProducer<NativeImageSecurityProviderBuildItem> providers) {
        providers.produce(new NativeImageSecurityProviderBuildItem("com.sun.security.sasl.Provider"));
        providers.produce(new NativeImageSecurityProviderBuildItem("com.sun.security.sasl.gsskerb.JdkSASL"));
    }

    @BuildStep
    ExtensionSslNativeSupportBuildItem tls() {
        return new ExtensionSslNativeSupportBuildItem(ZooKeeperLockProcessor.FEATURE);
    }
}
