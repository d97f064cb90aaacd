package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** A connection pooler before a PostgreSQL, which gives out a server connection for one transaction at a time. */
final class PgBouncer implements AutoCloseable {

    /** Fewer than its clients. */
    static final int SERVER_CONNECTIONS = 3;

    private static final String HOST = "127.0.0.1";
    private static final String ROOT = "root";

    private final int port = freePort();
    private final DatabaseServer server;
    private final Path configuration;
    private final Process process;
    private final Leash leash;

    PgBouncer(DatabaseServer server) throws IOException {
        this.server = server;
        configuration = Files.createTempFile("pgbouncer-", ".ini");
        Files.writeString(configuration, """
                [databases]
                postgres = host=%s port=%d dbname=postgres user=%s password=%s
                [pgbouncer]
                listen_addr = %s
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.host(), server.port(), server.user(), server.password(), HOST, port,
                SERVER_CONNECTIONS));
        var command = new ArrayList<String>(List.of(executable().toString(), "-q"));
        if (System.getProperty("user.name").equals(ROOT)) {
            command.addAll(List.of("-u", "nobody")); // it does not run as root
        }
        command.add(configuration.toString());
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.INHERIT).start();
        leash = Leash.on(process);
        Await.until("PgBouncer answers at " + port, Duration.ofSeconds(20), this::answers);
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException("PgBouncer has ended with " + process.exitValue());
        }
        try (Socket socket = new Socket(HOST, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** As an application has to say it for this pooler: no prepared statement outlives its transaction. */
    String url() {
        return server.url(HOST, port) + "?prepareThreshold=0";
    }

    static boolean isThere() {
        return Files.isExecutable(executable());
    }

    /** Where distributions put it. */
    private static Path executable() {
        return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer").map(Path::of)
                .filter(Files::isExecutable).findFirst().orElse(Path.of("/usr/sbin/pgbouncer"));
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        leash.close();
        configuration.toFile().delete();
    }
}
