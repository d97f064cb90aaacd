package io.quarkiverse.lock.it.faults;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.process.Signals;

/** The packaged application in a JVM of its own. */
final class Node implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(90);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final URI address;
    private final Process process;
    private final Leash leash;

    Node(String name, String redis, String database) throws IOException {
        int port = freePort();
        address = URI.create("http://127.0.0.1:" + port);
        Path target = Path.of("target").toAbsolutePath();
        File log = target.resolve(name + ".log").toFile();
        process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port,
                "-Dquarkus.redis.hosts=" + redis,
                "-Dquarkus.datasource.jdbc.url=" + database,
                "-jar", target.resolve("quarkus-app/quarkus-run.jar").toString())
                .redirectErrorStream(true).redirectOutput(Redirect.to(log)).start();
        leash = Leash.on(process);
    }

    void awaitReady() {
        Await.until(address + " answers", START, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("The application at " + address + " has ended; see its log in target");
            }
            try {
                return HTTP.send(HttpRequest.newBuilder(address.resolve("/count")).build(), BodyHandlers.discarding())
                        .statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** The status, later. */
    CompletableFuture<Integer> post(String path) {
        var request = HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofMinutes(3))
                .POST(BodyPublishers.noBody()).build();
        return HTTP.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::statusCode);
    }

    void terminate() {
        Signals.terminate(process);
    }

    boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void close() {
        leash.close();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
