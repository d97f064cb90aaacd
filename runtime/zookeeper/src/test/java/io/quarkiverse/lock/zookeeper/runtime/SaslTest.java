package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.spi.LoginModule;
import javax.tools.ToolProvider;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.mutiny.Uni;

/** SASL with a server that requires it: {@code DIGEST-MD5}, with the secrets in the JAAS configuration of both sides. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SaslTest {

    private static final String PROVIDER = "zookeeper.authProvider.sasl";

    private final Secrets secrets = new Secrets();
    private ZooKeeperServer server;

    @BeforeEach
    void startServer() {
        Uni.createFrom().item(() -> true).await().indefinitely();
        System.setProperty(PROVIDER, SASLAuthenticationProvider.class.getName());
        ProviderRegistry.addOrUpdateProvider(PROVIDER);
        Configuration.setConfiguration(secrets);
        server = ZooKeeperServer.start();
    }

    @AfterEach
    void stopServer() {
        server.close();
        Configuration.setConfiguration(null);
        System.clearProperty(PROVIDER);
    }

    private void withLocks(Use use) throws Exception {
        ZooKeeperLockConfig config = Configured.with("connect-string", server.connectString(), "sasl.enabled", "true",
                "sasl.login-context", "Locks");
        var options = ZooKeeperLockOptions.STANDARD.withRoot("/locks").withAcl(Acls.of(config, false))
                .withTickTime(ZooKeeperServer.TICK);
        try (CuratorFramework client = Configured.client(config)) {
            client.start();
            try (LockEngine engine = LockEngine.builder(new ZooKeeperLockBackend(client, options, "somebody")).start()) {
                use.of(engine.manager(ManagerDefaults.STANDARD), client);
            }
        }
    }

    private interface Use {

        void of(LockManager locks, CuratorFramework client) throws Exception;
    }

    @Test
    void nodesBelongToTheAuthenticatedClient() throws Exception {
        withLocks((locks, client) -> {
            try (LockHandle hold = locks.lock("order-42").acquire()) {
                assertThat(hold.isValid()).isTrue();
                assertThat(client.getACL().forPath("/locks/order-42")).singleElement()
                        .satisfies(acl -> assertThat(acl.getId()).isEqualTo(new Id("sasl", "shop")));
            }
        });
    }

    @Test
    void wrongSecretIsReportedAndCanBeCorrected() throws Exception {
        secrets.client = "wrong";
        withLocks((locks, client) -> {
            assertThatThrownBy(() -> locks.lock("order-42").tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("order-42").hasMessageContaining("refuses the credentials")
                    .hasMessageContaining("quarkus.lock.zookeeper.sasl.login-context");
            secrets.client = Secrets.RIGHT;
            letIn(locks);
        });
    }

    /** The ZooKeeper client is then dead, and notifies nobody: its event has no state. */
    @Test
    void brokenLoginEndsAWaitAndCanBeRepaired() throws Exception {
        withLocks((locks, client) -> {
            secrets.broken = true;
            client.getZookeeperClient().reset();
            assertThatThrownBy(() -> locks.lock("order-42").acquire()).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("login of this JVM failed before");
            secrets.broken = false;
            letIn(locks);
        });
    }

    /** The previous session belonged to a client that is now closed. */
    @Test
    void laterBrokenLoginIsReportedToo() throws Exception {
        withLocks((locks, client) -> {
            locks.lock("order-42").acquire().close();
            secrets.broken = true;
            client.getZookeeperClient().reset();
            Await.until("the client is dead", Duration.ofSeconds(20),
                    () -> client.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.AUTH_FAILED);
            assertThatThrownBy(() -> locks.lock("order-42").tryAcquire(Duration.ZERO))
                    .isInstanceOf(LockBackendException.class).hasMessageContaining("quarkus.lock.zookeeper.sasl.login-context");
            secrets.broken = false;
            letIn(locks);
        });
    }

    @Test
    void missingLoginModuleEndsAWait() throws Exception {
        withLocks((locks, client) -> {
            secrets.module = "com.example.Missing";
            client.getZookeeperClient().reset();
            assertThatThrownBy(() -> locks.lock("order-42").acquire()).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("order-42");
        });
    }

    /** The JVM loads all of them for each login, and the ZooKeeper client would try forever. */
    @Test
    void unloadableLoginModuleIsReportedAtOnce(@TempDir Path classes) throws Exception {
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(LoginModule.class.getName()), "com.example.Missing");
        withClasses(classes, () -> assertThatThrownBy(() -> withLocks((locks, client) -> locks.lock("order-42").acquire()))
                .hasMessageContaining("quarkus.lock.zookeeper.sasl.enabled").hasMessageContaining("com.example.Missing"));
    }

    @Test
    void registeredModuleWithoutItsParentIsReportedAtOnce(@TempDir Path classes) throws Exception {
        orphan(classes);
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(LoginModule.class.getName()), "Orphan");
        withClasses(classes, () -> assertThatThrownBy(() -> withLocks((locks, client) -> locks.lock("order-42").acquire()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.sasl.enabled=true").hasMessageContaining("Parent"));
    }

    /** The login would end with an error, and the ZooKeeper client then tries for ever. */
    @Test
    void configuredModuleWithoutItsParentIsReportedAtOnce(@TempDir Path classes) throws Exception {
        orphan(classes);
        secrets.module = "Orphan";
        withClasses(classes, () -> assertThatThrownBy(() -> withLocks((locks, client) -> locks.lock("order-42").acquire()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.sasl.login-context=Locks").hasMessageContaining("Orphan")
                .hasMessageContaining("Parent"));
    }

    @Test
    void missingConfiguredModuleIsReportedAtOnce() {
        secrets.module = "com.example.Missing";
        assertThatThrownBy(() -> withLocks((locks, client) -> locks.lock("order-42").acquire()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.sasl.login-context=Locks")
                .hasMessageContaining("com.example.Missing");
    }

    /** A login module whose superclass is gone. */
    private static void orphan(Path classes) throws Exception {
        Path source = Files.writeString(classes.resolve("Orphan.java"),
                "public class Orphan extends Parent { } abstract class Parent extends " + DigestLoginModule.class.getName()
                        + " { }");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), "-d", classes.toString(),
                source.toString())).isZero();
        Files.delete(classes.resolve("Parent.class"));
    }

    private static void withClasses(Path classes, Runnable test) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (var loader = new URLClassLoader(new URL[] { classes.toUri().toURL() }, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            test.run();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static void letIn(LockManager locks) {
        Await.until("it is let in", Duration.ofSeconds(40), () -> {
            try (LockHandle hold = locks.lock("order-42").acquire()) {
                return hold.isValid();
            } catch (LockBackendException e) {
                return false;
            }
        });
    }

    private static final class Secrets extends Configuration {

        private static final String RIGHT = "open-sesame";

        private volatile String client = RIGHT;
        private volatile String module = DigestLoginModule.class.getName();
        /** Whether the JVM's login context throws something other than a failed login. */
        private volatile boolean broken;

        @Override
        public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return switch (name) {
                case "Server" -> section(DigestLoginModule.class.getName(), Map.of("user_shop", RIGHT));
                case "Locks" -> ofTheClient();
                default -> null;
            };
        }

        private AppConfigurationEntry[] ofTheClient() {
            return broken ? new AppConfigurationEntry[1] : section(module, Map.of("username", "shop", "password", client));
        }

        private static AppConfigurationEntry[] section(String module, Map<String, String> options) {
            return new AppConfigurationEntry[] {
                    new AppConfigurationEntry(module, LoginModuleControlFlag.REQUIRED, options) };
        }
    }
}
