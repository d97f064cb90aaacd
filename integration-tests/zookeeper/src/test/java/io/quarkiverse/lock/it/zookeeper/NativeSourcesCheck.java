package io.quarkiverse.lock.it.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

import javax.security.auth.spi.LoginModule;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockBackendProvider;

/**
 * What native-image would be given. Run with the profile {@code native-sources}, which writes it; does not need native-image.
 */
class NativeSourcesCheck {

    @Test
    void registersWhatIsReadByReflection() throws IOException {
        List<String> names = NativeSources.reflective();
        assertThat(names).contains(ZooKeeperLockBackendProvider.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockConfig$$CMImpl",
                "org.apache.zookeeper.ClientCnxnSocketNIO",
                "org.apache.zookeeper.ClientCnxnSocketNetty",
                "org.apache.zookeeper.client.ZKClientConfig",
                "org.apache.zookeeper.server.auth.DigestLoginModule",
                "sun.security.provider.ConfigFile");
        // Names of locks are compiled: nothing of an argument's class is looked up
        assertThat(names).doesNotContain(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void startsAtRunTimeWhatCannotBeInAnImage() throws Exception {
        String feature = NativeSources.feature();
        assertThat(feature).contains("org.apache.zookeeper.Login", "org.apache.zookeeper.common.X509Util",
                "org.apache.curator.framework.CuratorFrameworkFactory");
        List<String> notInAnImage = new ArrayList<>(NativeSources.notInAnImage(LockManager.class));
        notInAnImage.addAll(NativeSources.notInAnImage(ZooKeeperLockBackend.class));
        assertThat(notInAnImage).allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }

    @Test
    void hasWhatSaslNeeds() throws IOException {
        assertThat(NativeSources.arguments()).contains("com.sun.security.sasl.Provider");
        // Each login loads all of them
        List<String> modules = ServiceLoader.load(LoginModule.class, ClassLoader.getPlatformClassLoader()).stream()
                .map(provider -> provider.type().getName()).toList();
        assertThat(modules).hasSizeGreaterThan(3);
        assertThat(NativeSources.reflective()).containsAll(modules);
        assertThat(NativeSources.bundles()).contains("sun.security.util.resources.security",
                "sun.security.util.resources.auth");
    }
}
