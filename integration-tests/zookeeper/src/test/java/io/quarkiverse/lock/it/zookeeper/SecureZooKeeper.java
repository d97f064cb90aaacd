package io.quarkiverse.lock.it.zookeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import javax.security.auth.login.Configuration;

import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;

import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkiverse.lock.testkit.server.SelfSigned;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** A ZooKeeper that accepts SASL logins, on a port without TLS and on one with it; and the settings of its clients. */
final class SecureZooKeeper implements AutoCloseable {

    private static final String JAAS = "java.security.auth.login.config";
    private static final String MODULE = "org.apache.zookeeper.server.auth.DigestLoginModule";
    private static final String LOGINS = "zookeeper.authProvider.sasl";
    /** None is called {@code Client}: every client in this JVM would log in with that section. */
    private static final String SECTIONS = """
            Server { %1$s required user_shop="open-sesame"; };
            Shop { %1$s required username="shop" password="open-sesame"; };
            Wrong { %1$s required username="shop" password="wrong"; };
            """.formatted(MODULE);

    private final SelfSigned files = SelfSigned.make();
    private final Path jaas;
    private final int securePort = FreePort.find();
    private final Map<String, Object> settings;
    private final ZooKeeperServer server;

    SecureZooKeeper() throws IOException {
        jaas = Files.writeString(Files.createTempFile("jaas-", ".conf"), SECTIONS);
        System.setProperty(JAAS, jaas.toString());
        Configuration.setConfiguration(null);
        System.setProperty(LOGINS, SASLAuthenticationProvider.class.getName());
        ProviderRegistry.addOrUpdateProvider(LOGINS);
        settings = Map.of("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "ssl.keyStore.location", files.keyStore().toString(), "ssl.keyStore.password", SelfSigned.PASSWORD,
                "ssl.clientAuth", "none");
        var all = new HashMap<>(settings);
        all.put("secureClientPort", String.valueOf(securePort));
        server = ZooKeeperServer.start(all);
    }

    /** For applications that log in with a section of the JAAS file. */
    Map<String, String> login(String section) {
        return Map.of(JAAS, jaas.toString(),
                "quarkus.lock.zookeeper.connect-string", server.connectString(),
                "quarkus.lock.zookeeper.sasl.enabled", "true",
                "quarkus.lock.zookeeper.sasl.login-context", section,
                // No other identity: permissions apply to that of the login
                "quarkus.lock.zookeeper.auth.username", "",
                "quarkus.lock.zookeeper.auth.password", "");
    }

    /** As {@link #login} with the right secret, and encrypted. */
    Map<String, String> loginOverTls() {
        var properties = new HashMap<>(login("Shop"));
        properties.putAll(Map.of("quarkus.lock.zookeeper.connect-string", ZooKeeperServer.HOST + ":" + securePort,
                "quarkus.lock.zookeeper.tls.enabled", "true",
                "quarkus.lock.zookeeper.tls.trust-store", files.trustStore().toString(),
                "quarkus.lock.zookeeper.tls.trust-store-password", SelfSigned.PASSWORD));
        return properties;
    }

    /** Encrypted, with the trust store of the TLS registry, and logged in with a credentials provider. */
    Map<String, String> registered() {
        return Map.of("quarkus.lock.zookeeper.connect-string", ZooKeeperServer.HOST + ":" + securePort,
                "quarkus.lock.zookeeper.tls-configuration-name", "locks",
                "quarkus.tls.locks.trust-store.p12.path", files.trustStore().toString(),
                "quarkus.tls.locks.trust-store.p12.password", SelfSigned.PASSWORD,
                "quarkus.lock.zookeeper.credentials-provider", "locks",
                "quarkus.lock.zookeeper.auth.username", "",
                "quarkus.lock.zookeeper.auth.password", "",
                // Not the directory that the other identity owns
                "quarkus.lock.zookeeper.root", "/registered");
    }

    String connectString() {
        return server.connectString();
    }

    @Override
    public void close() throws IOException {
        server.close();
        // The server has turned them into system properties, which the next server in this JVM would read
        settings.keySet().forEach(setting -> System.clearProperty("zookeeper." + setting));
        System.clearProperty(LOGINS);
        System.clearProperty(JAAS);
        Configuration.setConfiguration(null);
        Files.delete(jaas);
        files.close();
    }
}
