package io.quarkiverse.lock.zookeeper.runtime;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/** A key store and a trust store in a directory that only this user can enter, with a random password. */
final class StoreFiles {

    private static final String TYPE = "PKCS12";

    private final Path directory;
    private final String password;
    private @Nullable Path trusted;
    private @Nullable Path keys;

    private StoreFiles(Path directory, String password) {
        this.directory = directory;
        this.password = password;
    }

    static StoreFiles make() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        try {
            return new StoreFiles(Files.createTempDirectory("quarkus-lock-zookeeper-"), HexFormat.of().formatHex(random));
        } catch (IOException e) {
            throw Property.wrong("tls-configuration-name",
                    ": the copies of keys and certificates that the ZooKeeper client reads "
                            + "need a writable directory; set -Djava.io.tmpdir (" + e + ")");
        }
    }

    static KeyStore empty() throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance(TYPE);
            store.load(null, null);
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String password() {
        return password;
    }

    @Nullable
    String trusted() {
        return trusted == null ? null : trusted.toString();
    }

    @Nullable
    String keys() {
        return keys == null ? null : keys.toString();
    }

    /** The certificates of a store of any type. */
    void trust(KeyStore store) throws GeneralSecurityException {
        KeyStore certificates = empty();
        for (String alias : Collections.list(store.aliases())) {
            certificates.setCertificateEntry(alias, store.getCertificate(alias));
        }
        trusted = write("trusted.p12", certificates);
    }

    void keys(KeyStore store) throws GeneralSecurityException {
        keys = write("keys.p12", store);
    }

    /** Concurrent readers still read the previous file. */
    private Path write(String name, KeyStore store) throws GeneralSecurityException {
        Path file = directory.resolve(name);
        try {
            Path next = Files.createTempFile(directory, name, null);
            try (OutputStream out = Files.newOutputStream(next)) {
                store.store(out, password.toCharArray());
            }
            return Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        try {
            if (trusted != null) {
                Files.deleteIfExists(trusted);
            }
            if (keys != null) {
                Files.deleteIfExists(keys);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
