package io.quarkiverse.lock.sale;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** Two nodes of the packaged application, each a JVM, with one Redis. */
final class Shops implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final RedisServer redis = RedisServer.start();
    private final List<URI> nodes;
    private final List<Process> processes;
    private final List<Leash> leashes;

    Shops() throws IOException {
        nodes = Stream.of(freePort(), freePort()).map(port -> URI.create("http://localhost:" + port)).toList();
        processes = List.of(launch("node-a", nodes.get(0)), launch("node-b", nodes.get(1)));
        leashes = processes.stream().map(Leash::on).toList();
        nodes.forEach(node -> Await.until(node + " answers", START, () -> answers(node)));
    }

    URI first() {
        return nodes.get(0);
    }

    @Override
    public void close() {
        leashes.forEach(Leash::close);
        redis.close();
    }

    private Process launch(String name, URI node) throws IOException {
        Path target = Path.of("target").toAbsolutePath();
        String all = nodes.stream().map(URI::toString).collect(Collectors.joining(","));
        File log = target.resolve(name + ".log").toFile();
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                "-Dquarkus.http.port=" + node.getPort(),
                "-Dquarkus.redis.hosts=" + redis.url(),
                "-Dflash-sale.name=" + name,
                "-Dflash-sale.nodes=" + all,
                "-jar", target.resolve("quarkus-app/quarkus-run.jar").toString())
                .redirectErrorStream(true).redirectOutput(Redirect.to(log)).start();
    }

    private static boolean answers(URI node) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(node.resolve("/nodes/this")).build();
            return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
