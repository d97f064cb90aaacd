package io.quarkiverse.lock.jpa.runtime;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;

/** A certificate that a PostgreSQL server signs itself. */
final class SelfSigned {

    private static final String PASSWORD = "s3cret-store";

    private SelfSigned() {
    }

    /** Lines of {@code postgresql.conf}. */
    static Map<String, String> settings() throws Exception {
        Path files = Files.createTempDirectory("postgres-tls-");
        Path keys = files.resolve("server.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias", "server", "-keyalg", "RSA", "-dname", "CN=localhost", "-storepass", PASSWORD, "-keystore",
                keys.toString()).inheritIO().start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool");
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return Map.of("ssl", "on",
                "ssl_key_file", pem(files, "PRIVATE KEY", store.getKey("server", PASSWORD.toCharArray()).getEncoded()),
                "ssl_cert_file", pem(files, "CERTIFICATE", store.getCertificate("server").getEncoded()));
    }

    private static String pem(Path directory, String kind, byte[] content) throws Exception {
        Path file = Files.createFile(directory.resolve(kind.replace(' ', '-')),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content)
                + "\n-----END " + kind + "-----\n");
        return file.toString();
    }
}
