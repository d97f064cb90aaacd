package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.process.Signals;

/**
 * A Redis server as a child process, on a free port of the loopback interface and with an empty data directory of its own. It
 * ends with this JVM at the latest, however this JVM ends.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start("maxmemory 3mb", "requirepass s3cret")) {
 *     server.pause();
 *     ...
 *     server.kill();
 *     server.restart();
 * }
 * }</pre>
 *
 * The configuration goes to the server's input: passwords appear neither in the process list nor in a file.
 */
public final class RedisServer implements AutoCloseable {

    public static final String HOST = "127.0.0.1";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
    private static final int START_ATTEMPTS = 5;

    private final List<String> configuration;
    private final Path directory;
    private int port;
    private @Nullable Process process;
    private @Nullable Leash leash;

    private RedisServer(List<String> configuration) {
        this.configuration = configuration;
        try {
            directory = Files.createTempDirectory("redis-data-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a server and returns when it answers.
     *
     * @param configuration lines of {@code redis.conf}, such as {@code "maxmemory 3mb"} or {@code "replicaof 127.0.0.1 7000"};
     *        without any, nothing is persisted. A {@code port} line is not allowed.
     */
    public static RedisServer start(String... configuration) {
        var server = new RedisServer(List.of(configuration));
        try {
            server.startOnFreePort();
            return server;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    public String host() {
        return HOST;
    }

    /** The same for the whole life of this object. */
    public int port() {
        return port;
    }

    /** The server's data directory: for an {@code aclfile}, or to look at a dump. */
    public Path directory() {
        return directory;
    }

    /** The address as the Quarkus Redis client wants it. */
    public String url() {
        return "redis://" + HOST + ":" + port;
    }

    public synchronized long pid() {
        return running().pid();
    }

    public synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** A new connection for assertions. */
    public TinyRedis connect() {
        return new TinyRedis(HOST, port);
    }

    /** Ends the server as an administrator would, and waits until it is gone. */
    public synchronized void stop() {
        if (process != null && process.isAlive()) {
            Signals.resume(process);
            Signals.terminate(process);
            awaitExit(process);
        }
        forget();
    }

    /** {@code kill -9}. */
    public synchronized void kill() {
        forget();
    }

    /** Starts the server again on its port, after {@link #stop} or {@link #kill}; stops it before if it still runs. */
    public synchronized void restart() {
        stop();
        launch();
        awaitReady();
    }

    /** Freezes the server: connections stay open, nothing is answered. */
    public synchronized void pause() {
        Signals.pause(running());
    }

    /** Ends {@link #pause}. */
    public synchronized void resume() {
        Signals.resume(running());
    }

    /** Kills the server and deletes its data. */
    @Override
    public synchronized void close() {
        forget();
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void startOnFreePort() {
        for (int attempt = 1;; attempt++) {
            port = freePort();
            launch();
            try {
                awaitReady();
                return;
            } catch (IllegalStateException e) {
                // Somebody else may have taken the port meanwhile
                forget();
                if (attempt == START_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void launch() {
        var lines = new StringBuilder("bind " + HOST + "\nport " + port + "\nsave \"\"\nappendonly no\ndaemonize no\n")
                .append("loglevel warning\ndir ").append(directory).append('\n');
        configuration.forEach(line -> lines.append(line).append('\n'));
        try {
            process = new ProcessBuilder(RedisExecutable.path(), "-").directory(directory.toFile())
                    .redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile())).start();
            leash = Leash.on(process);
            try (var stdin = process.getOutputStream()) {
                stdin.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IllegalStateException("redis-server cannot be started", e);
        }
    }

    private void awaitReady() {
        Await.until("redis-server answers on port " + port, START_TIMEOUT, () -> {
            if (!isRunning()) {
                throw new IllegalStateException("redis-server has ended at once: " + lastWords());
            }
            return answers();
        });
    }

    /** Any answer will do, also that a password or a master is missing; but not that it still loads its data. */
    private boolean answers() {
        try (var redis = connect().timeout(Duration.ofSeconds(1))) {
            redis.command("PING");
            return true;
        } catch (TinyRedis.ErrorReply e) {
            return !e.getMessage().startsWith("LOADING");
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** Without the line that it quotes when its configuration is wrong, which may hold a password. */
    private String lastWords() throws IOException {
        return Files.readAllLines(log()).stream().filter(line -> !line.startsWith(">>>"))
                .collect(Collectors.joining("\n"));
    }

    private Path log() {
        return directory.resolve("redis.log");
    }

    private Process running() {
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException("redis-server is not running");
        }
        return process;
    }

    private void forget() {
        if (leash != null) {
            leash.close();
        }
        leash = null;
        process = null;
    }

    private static void awaitExit(Process process) {
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
