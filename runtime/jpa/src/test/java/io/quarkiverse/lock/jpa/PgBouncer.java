package io.quarkiverse.lock.jpa;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A PgBouncer in front of a server, with fewer connections to the server than clients. */
final class PgBouncer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int port;
    private final Path directory;
    private final Leash leash;

    private PgBouncer(int port, Path directory, Leash leash) {
        this.port = port;
        this.directory = directory;
        this.leash = leash;
    }

    /** @param connections to the server, for each of the two databases */
    static PgBouncer before(PostgresServer server, int connections) throws IOException {
        Path directory = Files.createTempDirectory("pgbouncer-");
        int port = FreePort.find();
        String target = " = host=" + server.host() + " port=" + server.port() + " dbname=postgres user=" + server.user()
                + " password=" + server.password();
        // It refuses to run as root, so it switches to another user
        boolean root = "root".equals(System.getProperty("user.name"));
        Path file = Files.writeString(directory.resolve("pgbouncer.ini"), """
                [databases]
                transactions%1$s pool_mode=transaction
                sessions%1$s pool_mode=session pool_size=60
                [pgbouncer]
                listen_addr = %2$s
                listen_port = %3$d
                unix_socket_dir =
                auth_type = any
                default_pool_size = %4$d
                max_client_conn = 200
                ignore_startup_parameters = extra_float_digits
                %5$s
                """.formatted(target, HOST, port, connections, root ? "user = nobody" : ""));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(executable(), file.toString()).redirectErrorStream(true)
                .redirectOutput(Redirect.to(log.toFile())).start();
        var bouncer = new PgBouncer(port, directory, Leash.on(process));
        Await.until("PgBouncer listens", PATIENCE, () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("PgBouncer has ended at once: " + Files.readString(log));
            }
            return bouncer.listens();
        });
        return bouncer;
    }

    /** Debian installs it where only root looks for programs. */
    private static String executable() {
        return Files.isExecutable(Path.of("/usr/sbin/pgbouncer")) ? "/usr/sbin/pgbouncer" : "pgbouncer";
    }

    private boolean listens() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(HOST, port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Any client may get a connection to the server between two transactions. */
    String transactions(String parameters) {
        return url("transactions", parameters);
    }

    /** A connection to the server stays with a client until the client closes its own. */
    String sessions() {
        return url("sessions", "");
    }

    private String url(String database, String parameters) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + database + parameters;
    }

    @Override
    public void close() throws IOException {
        leash.close();
        for (String each : new String[] { "pgbouncer.ini", "log" }) {
            Files.deleteIfExists(directory.resolve(each));
        }
        Files.deleteIfExists(directory);
    }
}
