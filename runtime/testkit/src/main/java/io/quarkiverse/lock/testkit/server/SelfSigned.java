package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * The key of a server on this machine and its self-signed certificate, in the files that servers and clients expect. They are
 * valid for {@code localhost} and {@code 127.0.0.1}.
 *
 * <pre>{@code
 * try (SelfSigned files = SelfSigned.make();
 *         RedisServer server = RedisServer.start("tls-port 7443", "tls-auth-clients no",
 *                 "tls-key-file " + files.key(), "tls-cert-file " + files.certificate(),
 *                 "tls-ca-cert-file " + files.certificate())) {
 * }
 * }</pre>
 */
public final class SelfSigned implements AutoCloseable {

    /** The password of {@link #keyStore} and {@link #trustStore}. */
    public static final String PASSWORD = "s3cret-store";

    private static final String ALIAS = "server";

    private final Path directory;

    private SelfSigned(Path directory) {
        this.directory = directory;
    }

    public static SelfSigned make() {
        try {
            var files = new SelfSigned(Files.createTempDirectory("self-signed-"));
            files.write();
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** PKCS 12 with the key and its certificate, for servers in Java. */
    public Path keyStore() {
        return directory.resolve("server.p12");
    }

    /** PKCS 12 with the certificate, for clients in Java. */
    public Path trustStore() {
        return directory.resolve("trusted.p12");
    }

    /** PEM, readable by nobody else. */
    public Path key() {
        return directory.resolve("server.key");
    }

    /** PEM. */
    public Path certificate() {
        return directory.resolve("server.crt");
    }

    private void write() throws IOException {
        generate();
        try {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(keyStore())) {
                keys.load(in, PASSWORD.toCharArray());
            }
            pem(key(), "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
            pem(certificate(), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
            try (OutputStream out = Files.newOutputStream(trustStore())) {
                trusted.store(out, PASSWORD.toCharArray());
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Uses the tool: the JDK has no public class for it. */
    private void generate() throws IOException {
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", ALIAS, "-keyalg", "EC", "-dname", "CN=localhost",
                "-ext", "san=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12", "-storepass", PASSWORD,
                "-keystore", keyStore().toString()).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void pem(Path file, String kind, byte[] content) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content)
                + "\n-----END " + kind + "-----\n");
    }

    @Override
    public void close() {
        try {
            Directories.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
