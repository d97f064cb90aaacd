package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkiverse.lock.testkit.server.SelfSigned;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.BaseTlsConfiguration;
import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.net.SSLOptions;
import io.vertx.core.net.TrustOptions;

/** A TLS server that requires a certificate, and a client that gets everything it needs from the TLS registry. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegistryTlsTest {

    // Shared: making one starts a JVM
    private static final SelfSigned MINE = SelfSigned.make();
    private static final SelfSigned FIRST = SelfSigned.make();

    private final int port = FreePort.find();
    private final Vertx vertx = Vertx.vertx();
    private final Registry registry = new Registry();
    private final RegistryTls tls = new RegistryTls(registry, vertx);
    private SelfSigned servers = FIRST;
    private ZooKeeperServer server;

    @BeforeEach
    void startServer() {
        server = ZooKeeperServer.start(settings());
        registry.register("locks", new Stores(servers, MINE));
    }

    @AfterEach
    void stopServer() {
        server.close();
        settings().keySet().forEach(setting -> System.clearProperty("zookeeper." + setting));
        tls.delete();
        if (servers != FIRST) {
            servers.close();
        }
        vertx.close();
    }

    @AfterAll
    static void deleteKeys() {
        FIRST.close();
        MINE.close();
    }

    private Map<String, Object> settings() {
        return new HashMap<>(Map.of("secureClientPort", String.valueOf(port),
                "serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "ssl.keyStore.location", servers.keyStore().toString(), "ssl.keyStore.password", SelfSigned.PASSWORD,
                "ssl.trustStore.location", MINE.trustStore().toString(), "ssl.trustStore.password", SelfSigned.PASSWORD,
                "ssl.clientAuth", "need"));
    }

    private CuratorFramework client() {
        ZooKeeperLockConfig config = Configured.with("connect-string", "127.0.0.1:" + port, "tls-configuration-name", "locks");
        CuratorFramework client = ConfiguredClient.of(config, Identity.of(config, Optional::empty), extensions());
        client.start();
        return client;
    }

    private OtherExtensions extensions() {
        return new OtherExtensions(Optional::empty, () -> Optional.of(tls));
    }

    private static void awaitConnected(CuratorFramework client) {
        Await.until("it is connected", Duration.ofSeconds(40), () -> client.getZookeeperClient().isConnected());
    }

    @Test
    void connectsWithItsKeyAndTrustsTheServer() throws Exception {
        try (CuratorFramework client = client()) {
            awaitConnected(client);
            assertThat(client.create().forPath("/locked")).isEqualTo("/locked");
        }
    }

    /** Nothing else in the configuration states its identity. */
    @Test
    void certificateCanOwnNodes() throws Exception {
        ZooKeeperLockConfig config = Configured.with("tls-configuration-name", "locks", "acl", "creator");
        assertThat(Transport.hasCertificate(config, extensions())).isTrue();
        List<ACL> acl = Acls.of(config, Transport.hasCertificate(config, extensions()));
        try (CuratorFramework client = client()) {
            awaitConnected(client);
            client.create().withACL(acl).forPath("/mine");
            assertThat(client.getACL().forPath("/mine")).singleElement()
                    .satisfies(each -> assertThat(each.getId().getScheme()).isEqualTo("x509"));
        }
    }

    @Test
    void noCertificateWithoutAKey() {
        registry.register("locks", new BaseTlsConfiguration() {
        });
        ZooKeeperLockConfig config = Configured.with("tls-configuration-name", "locks");
        assertThat(Transport.hasCertificate(config, extensions())).isFalse();
        assertThat(Transport.hasCertificate(config, OtherExtensions.NONE)).as("without the registry").isFalse();
    }

    @Test
    void nextConnectionUsesReloadedCertificates() throws Exception {
        try (CuratorFramework client = client()) {
            awaitConnected(client);
            servers = SelfSigned.make();
            server.restart(settings());
            assertThat(client.blockUntilConnected(0, TimeUnit.SECONDS)).as("with another certificate").isFalse();
            var next = new Stores(servers, MINE);
            registry.register("locks", next);
            tls.updated(new CertificateUpdatedEvent("others", next));
            tls.updated(new CertificateUpdatedEvent("locks", next));
            awaitConnected(client);
        }
    }

    @Test
    void otherRegistrySettingsReachTheClient() {
        var stores = new Stores(servers, MINE);
        stores.verification = "NONE";
        stores.options.addEnabledSecureTransportProtocol("TLSv1.3").addEnabledCipherSuite("TLS_AES_256_GCM_SHA384");
        registry.register("locks", stores);
        ZKClientConfig client = Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
        try (var names = new ClientX509Util()) {
            assertThat(names.isServerHostnameVerificationEnabled(client)).isFalse();
            assertThat(client.getProperty(names.getSslCipherSuitesProperty())).isEqualTo("TLS_AES_256_GCM_SHA384");
            assertThat(List.of(client.getProperty(names.getSslEnabledProtocolsProperty()).split(","))).contains("TLSv1.3");
            stores.verification = null;
            assertThat(names.isServerHostnameVerificationEnabled(
                    Transport.of(Configured.with("tls-configuration-name", "locks"), extensions()))).isTrue();
        }
    }

    @Test
    void copiedStoresArePrivateAndDeleted() throws Exception {
        ZKClientConfig client = Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
        try (var names = new ClientX509Util()) {
            Path keys = Path.of(client.getProperty(names.getSslKeystoreLocationProperty()));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.getParent()))).isEqualTo("rwx------");
            tls.delete();
            assertThat(keys.getParent()).doesNotExist();
        }
    }

    @Test
    void reconfigurationLeavesNoFilesBehind() throws Exception {
        ZKClientConfig first = Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
        Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
        tls.delete();
        try (var names = new ClientX509Util()) {
            assertThat(Path.of(first.getProperty(names.getSslKeystoreLocationProperty())).getParent()).doesNotExist();
        }
    }

    @Test
    void failedCopyOnUpdateIsOnlyLogged() throws Exception {
        ZKClientConfig client = Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
        try (var names = new ClientX509Util(); var lines = LogLines.warnings("io.quarkiverse.lock.zookeeper")) {
            tls.delete();
            assertThat(Path.of(client.getProperty(names.getSslKeystoreLocationProperty())).getParent()).doesNotExist();
            tls.updated(new CertificateUpdatedEvent("locks", new Stores(servers, MINE)));
            assertThat(lines.messages()).anyMatch(line -> line.contains("that it had before"));
        }
    }

    @Test
    void copiesKeysOfEachType() throws Exception {
        for (String type : List.of("RSA", "RSASSA-PSS", "EC", "Ed25519")) {
            Path store = Files.createTempDirectory("keys-").resolve("keys.p12");
            assertThat(new ProcessBuilder("keytool", "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", "mine", "-keyalg",
                    type, "-dname", "CN=mine",
                    "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", SelfSigned.PASSWORD)
                    .start().waitFor()).isZero();
            var stores = new Stores(servers, MINE);
            stores.keyOptions = new PfxOptions().setPath(store.toString()).setPassword(SelfSigned.PASSWORD);
            registry.register("locks", stores);
            ZKClientConfig client = Transport.of(Configured.with("tls-configuration-name", "locks"), extensions());
            try (var names = new ClientX509Util();
                    InputStream in = Files
                            .newInputStream(Path.of(client.getProperty(names.getSslKeystoreLocationProperty())))) {
                KeyStore copy = KeyStore.getInstance("PKCS12");
                copy.load(in, client.getProperty(names.getSslKeystorePasswdProperty()).toCharArray());
                assertThat(copy.size()).as(type).isEqualTo(1);
            }
            Files.delete(store);
            Files.delete(store.getParent());
        }
    }

    @Test
    void unsupportedTlsSettingsAreRejected() {
        var revoked = new Stores(servers, MINE);
        revoked.options.addCrlPath("revoked.crl");
        registry.register("locks", revoked);
        assertRefused("=locks, which has a list of revoked certificates", "tls-configuration-name", "locks");
        registry.register("locks", new BaseTlsConfiguration() {
            @Override
            public TrustOptions getTrustStoreOptions() {
                return new PfxOptions();
            }

            @Override
            public SSLOptions getSSLOptions() {
                return new SSLOptions();
            }
        });
        assertRefused("=locks, whose trust store cannot be copied", "tls-configuration-name", "locks");
    }

    @Test
    void unusableTlsConfigurationsAreRejected() {
        assertRefused("=others, but the TLS registry has no such", "tls-configuration-name", "others");
        assertRefused("=locks, but quarkus.lock.zookeeper.tls.trust-store is set as well", "tls-configuration-name", "locks",
                "tls.trust-store", "/some/where");
        assertRefused("=locks, but quarkus.lock.zookeeper.tls.key-store is set as well", "tls-configuration-name", "locks",
                "tls.key-store", "/some/where");
        var everybody = new Stores(servers, MINE);
        everybody.trustsAll = true;
        registry.register("locks", everybody);
        assertRefused("=locks, which trusts everybody (quarkus.tls.locks.trust-all)", "tls-configuration-name", "locks");
    }

    private void assertRefused(String why, String... properties) {
        assertThatThrownBy(() -> Transport.of(Configured.with(properties), extensions()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.tls-configuration-name" + why);
    }

    private static final class Registry implements TlsConfigurationRegistry {

        private final Map<String, TlsConfiguration> known = new HashMap<>();

        @Override
        public Optional<TlsConfiguration> get(String name) {
            return Optional.ofNullable(known.get(name));
        }

        @Override
        public Optional<TlsConfiguration> getDefault() {
            return Optional.empty();
        }

        @Override
        public void register(String name, TlsConfiguration configuration) {
            known.put(name, configuration);
        }
    }

    private static final class Stores extends BaseTlsConfiguration {

        private final SelfSigned trusted;
        private final SelfSigned keys;
        private final SSLOptions options = new SSLOptions();
        private KeyCertOptions keyOptions;
        private boolean trustsAll;
        private String verification;

        Stores(SelfSigned trusted, SelfSigned keys) {
            this.trusted = trusted;
            this.keys = keys;
        }

        @Override
        public KeyStore getTrustStore() {
            try (InputStream in = Files.newInputStream(trusted.trustStore())) {
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(in, SelfSigned.PASSWORD.toCharArray());
                return store;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public KeyCertOptions getKeyStoreOptions() {
            return keyOptions != null ? keyOptions
                    : new PfxOptions().setPath(keys.keyStore().toString()).setPassword(SelfSigned.PASSWORD);
        }

        @Override
        public SSLOptions getSSLOptions() {
            return options;
        }

        @Override
        public boolean isTrustAll() {
            return trustsAll;
        }

        @Override
        public Optional<String> getHostnameVerificationAlgorithm() {
            return Optional.ofNullable(verification);
        }
    }
}
