package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.process.Signals;

/**
 * A Redis server as a child process, on a free port of the loopback interface and with its own, empty data directory. It ends
 * with this JVM at the latest, however this JVM ends.
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

    /** The line of configuration that makes a server a node of a cluster. */
    static final String CLUSTER = "cluster-enabled yes";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final int START_ATTEMPTS = 5;

    private final List<String> configuration;
    private final boolean sentinel;
    private final IntFunction<List<String>> linesFor;
    private final Path directory;
    private int port;
    private List<String> linesForPort = List.of();
    private @Nullable Process process;
    private @Nullable Leash leash;

    private RedisServer(List<String> configuration, boolean sentinel, IntFunction<List<String>> linesFor) {
        this.configuration = configuration;
        this.sentinel = sentinel;
        this.linesFor = linesFor;
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
        return start(List.of(configuration), false);
    }

    /**
     * Starts a sentinel instead of a server that keeps data.
     *
     * @param configuration lines of {@code sentinel.conf}
     */
    static RedisServer startSentinel(String... configuration) {
        return start(List.of(configuration), true);
    }

    /**
     * Starts a node of a cluster.
     *
     * @param linesFor further lines, which depend on its port; requested again when somebody else has taken that port
     */
    static RedisServer startNode(IntFunction<List<String>> linesFor, List<String> configuration) {
        return start(configuration, false, linesFor);
    }

    private static RedisServer start(List<String> configuration, boolean sentinel) {
        return start(configuration, sentinel, port -> List.of());
    }

    private static RedisServer start(List<String> configuration, boolean sentinel, IntFunction<List<String>> linesFor) {
        var server = new RedisServer(configuration, sentinel, linesFor);
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

    /** Constant for the whole life of this object. */
    public int port() {
        return port;
    }

    /** The server's data directory: for an {@code aclfile}, or to look at a dump. */
    public Path directory() {
        return directory;
    }

    /** The address in the form the Quarkus Redis client expects. */
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

    /** Starts the server again on its port, after {@link #stop} or {@link #kill}; stops it first if it still runs. */
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
        try {
            Directories.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void startOnFreePort() {
        for (int attempt = 1;; attempt++) {
            port = FreePort.find(configuration.contains(CLUSTER));
            linesForPort = linesFor.apply(port);
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
        var lines = new StringBuilder("bind " + HOST + "\nport " + port + "\ndaemonize no\n").append("dir ")
                .append(directory).append('\n');
        if (!sentinel) {
            lines.append("loglevel warning\nsave \"\"\nappendonly no\n");
        }
        configuration.forEach(line -> lines.append(line).append('\n'));
        linesForPort.forEach(line -> lines.append(line).append('\n'));
        try {
            process = new ProcessBuilder(command(lines)).directory(directory.toFile())
                    .redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile())).start();
            leash = Leash.on(process);
            try (var stdin = process.getOutputStream()) {
                if (!sentinel) {
                    stdin.write(lines.toString().getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("redis-server cannot be started", e);
        }
    }

    /** A sentinel needs a file, in which it keeps what it finds out. */
    private List<String> command(CharSequence lines) throws IOException {
        if (!sentinel) {
            return List.of(RedisExecutable.path(), "-");
        }
        Path file = directory.resolve("sentinel.conf");
        if (!Files.exists(file)) {
            Files.writeString(file, lines);
        }
        return List.of(RedisExecutable.path(), file.toString(), "--sentinel");
    }

    private void awaitReady() {
        Await.until("redis-server answers on port " + port, START_TIMEOUT, () -> {
            if (!isRunning()) {
                throw new IllegalStateException("redis-server has ended at once: " + lastWords());
            }
            return answers();
        });
    }

    /** Any answer counts, even that a password or a master is missing, but not that it is still loading its data. */
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

    /** Without the line that it quotes when its configuration is wrong, which may contain a password. */
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
}
