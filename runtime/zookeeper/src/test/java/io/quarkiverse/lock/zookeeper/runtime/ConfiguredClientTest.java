package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Errors are reported before anything is sent, with the full name of the property. */
class ConfiguredClientTest {

    @TempDir
    Path files;

    @AfterEach
    void forgetJaas() {
        Configuration.setConfiguration(null);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            connect-string      | zk:port     | quarkus.lock.zookeeper.connect-string=zk:port is not host:port
            connect-string      | zk:2181/a// | quarkus.lock.zookeeper.connect-string=zk:2181/a// is not host:port
            connect-string      | zk:99999    | quarkus.lock.zookeeper.connect-string=zk:99999 is not host:port
            connect-string      | ''          | quarkus.lock.zookeeper.connect-string is not set
            session-timeout     | 0s          | quarkus.lock.zookeeper.session-timeout=PT0S must be at least 1ms
            connection-timeout  | -1s         | quarkus.lock.zookeeper.connection-timeout=PT-1S must be at least 1ms
            retry.max-attempts  | 30          | quarkus.lock.zookeeper.retry.max-attempts=30 must be from 0 to 29
            retry.max-delay     | 50ms        | quarkus.lock.zookeeper.retry.delay=PT0.1S is longer than
            auth.username       | shop        | quarkus.lock.zookeeper.auth.password is not set
            auth.password       | secret      | quarkus.lock.zookeeper.auth.username is not set
            sasl.enabled        | true        | quarkus.lock.zookeeper.sasl
            credentials-provider | shop       | quarkus.lock.zookeeper.credentials-provider=shop, but this application has no
            tls-configuration-name | shop     | quarkus.lock.zookeeper.tls-configuration-name=shop, but this application has no TLS
            """)
    void invalidPropertiesAreRejected(String property, String value, String message) {
        assertThatThrownBy(() -> Configured.client(Configured.with(property, value)))
                .isInstanceOf(ConfigurationException.class).hasMessageStartingWith(message);
    }

    /** So that people can see in the log whether two applications have their locks in the same place. */
    @Test
    void placeOfLocksIsServersChrootAndPath() {
        var options = ZooKeeperLockOptions.STANDARD.withRoot("/locks/shop");
        try (CuratorFramework client = Configured.client(Configured.with("connect-string", "127.0.0.1:1,127.0.0.1:2/apps",
                "auth.username", "shop", "auth.password", "secret"))) {
            client.start(); // it reaches no server
            assertThat(ZooKeeperLockBackendProvider.place(client, options))
                    .isEqualTo("127.0.0.1:1,127.0.0.1:2/apps, path /locks/shop");
            assertThat(ZooKeeperLockBackendProvider.place(client.usingNamespace("team"), options))
                    .isEqualTo("127.0.0.1:1,127.0.0.1:2/apps, path /team/locks/shop");
        }
    }

    @ParameterizedTest
    @CsvSource({ "tls.trust-store", "tls.key-store" })
    void missingTlsFileIsRejected(String property) {
        assertThatThrownBy(() -> Configured.client(Configured.with("tls.enabled", "true", property, "/no/such/file.p12")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper." + property + "=/no/such/file.p12, but there is no such file");
    }

    @ParameterizedTest
    @CsvSource({ "tls.trust-store", "tls.key-store" })
    @Fault(564)
    void fault564_storesWithoutTlsAreRejected(String property) {
        assertThatThrownBy(() -> Configured.client(Configured.with(property, "/some/where")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("quarkus.lock.zookeeper." + property + " is set, but TLS is off: set "
                        + "quarkus.lock.zookeeper.tls.enabled=true, or say tls.enabled=false to connect in plain text");
    }

    /** As where the stores are the same everywhere, and each environment says whether it uses TLS. */
    @Test
    @Fault(564)
    void fault564_storesMayStayWhereTlsIsOffOnPurpose() {
        assertPlain("tls.enabled", "false", "tls.trust-store", "/some/where", "tls.key-store", "/some/where");
    }

    @ParameterizedTest
    @CsvSource({ "tls.trust-store-password", "tls.key-store-password" })
    void passwordAloneSecuresNothing(String property) {
        assertPlain(property, "secret");
    }

    private static void assertPlain(String... properties) {
        try (CuratorFramework client = Configured.client(Configured.with(properties))) {
            assertThat(client.getZookeeperClient()).isNotNull();
        }
        assertThat(Transport.of(Configured.with(properties), OtherExtensions.NONE).getProperty(ZKClientConfig.SECURE_CLIENT))
                .isNull();
    }

    @Test
    void missingJaasSectionIsRejected() {
        Configuration.setConfiguration(new Sections("Client"));
        assertThatThrownBy(() -> Configured.client(Configured.with("sasl.enabled", "true", "sasl.login-context", "Locks")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.sasl.login-context=Locks, but the JVM's JAAS");
    }

    @Test
    void usesSaslOnlyIfConfigured() {
        Configuration.setConfiguration(new Sections("Locks"));
        assertThat(Transport.of(Configured.with(), OtherExtensions.NONE).isSaslClientEnabled()).isFalse();

        ZKClientConfig client = Transport.of(
                Configured.with("sasl.enabled", "true", "sasl.login-context", "Locks", "sasl.server-name", "zk"),
                OtherExtensions.NONE);
        assertThat(client.isSaslClientEnabled()).isTrue();
        assertThat(client.getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY)).isEqualTo("Locks");
        assertThat(client.getProperty(ZKClientConfig.ZK_SASL_CLIENT_USERNAME)).isEqualTo("zk");
    }

    @Test
    void tlsSettingsReachTheClient() throws Exception {
        Path store = Files.createFile(files.resolve("trust.p12"));
        ZKClientConfig client = Transport.of(Configured.with("tls.enabled", "true", "tls.trust-store", store.toString(),
                "tls.trust-store-password", "secret", "tls.verify-hostname", "false"), OtherExtensions.NONE);
        assertThat(client.getProperty(ZKClientConfig.SECURE_CLIENT)).isEqualTo("true");
        assertThat(client.getProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET)).endsWith("Netty");
        try (var names = new ClientX509Util()) {
            assertThat(client.getProperty(names.getSslTruststoreLocationProperty())).isEqualTo(store.toString());
            assertThat(client.getProperty(names.getSslTruststorePasswdProperty())).isEqualTo("secret");
            assertThat(names.isServerHostnameVerificationEnabled(client)).isFalse();
        }
        assertThat(Transport.of(Configured.with(), OtherExtensions.NONE).getProperty(ZKClientConfig.SECURE_CLIENT)).isNull();
    }

    @Test
    void connectionTimeoutIsApplied() {
        try (CuratorFramework client = Configured.client(Configured.with("connection-timeout", "3s"))) {
            assertThat(client.getZookeeperClient().getConnectionTimeoutMs()).isEqualTo(3_000);
        }
    }

    private static final class Sections extends Configuration {

        private final String section;

        Sections(String section) {
            this.section = section;
        }

        @Override
        public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return name.equals(section) ? new AppConfigurationEntry[0] : null;
        }
    }
}
