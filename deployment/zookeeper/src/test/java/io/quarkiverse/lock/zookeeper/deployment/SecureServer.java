package io.quarkiverse.lock.zookeeper.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** A ZooKeeper that talks TLS on a separate port. */
final class SecureServer {

    static final String ADDRESS = "test.zookeeper.secure-address";
    static final String TRUST_STORE = "test.zookeeper.trust-store";
    /** With a key that the server trusts. */
    static final String KEY_STORE = "test.zookeeper.key-store";
    static final String PASSWORD = "s3cret-store";

    /** The settings that the server turns into system properties. */
    private static final List<String> SETTINGS = List.of("serverCnxnFactory", "ssl.keyStore.location", "ssl.keyStore.password",
            "ssl.clientAuth", "ssl.trustStore.location", "ssl.trustStore.password");

    private static ZooKeeperServer server;

    private SecureServer() {
    }

    static void start() {
        try {
            Path files = Files.createTempDirectory("zookeeper-tls-");
            Path keys = files.resolve("server.p12");
            Path certificate = files.resolve("server.cer");
            Path trusted = files.resolve("trusted.p12");
            keytool("-genkeypair", "-alias", "server", "-keyalg", "RSA", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1",
                    "-keystore", keys.toString());
            keytool("-exportcert", "-alias", "server", "-file", certificate.toString(), "-keystore", keys.toString());
            keytool("-importcert", "-noprompt", "-alias", "server", "-file", certificate.toString(), "-keystore",
                    trusted.toString());
            int port = FreePort.find();
            server = ZooKeeperServer.start(Map.of(
                    "secureClientPort", String.valueOf(port),
                    SETTINGS.get(0), "org.apache.zookeeper.server.NettyServerCnxnFactory",
                    SETTINGS.get(1), keys.toString(),
                    SETTINGS.get(2), PASSWORD,
                    SETTINGS.get(3), "want",
                    SETTINGS.get(4), trusted.toString(),
                    SETTINGS.get(5), PASSWORD));
            System.setProperty(ADDRESS, "127.0.0.1:" + port);
            System.setProperty(KEY_STORE, keys.toString());
            System.setProperty(TRUST_STORE, trusted.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void stop() {
        server.close();
        SETTINGS.forEach(setting -> System.clearProperty("zookeeper." + setting));
        System.clearProperty(ADDRESS);
        System.clearProperty(TRUST_STORE);
        System.clearProperty(KEY_STORE);
    }

    private static void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
