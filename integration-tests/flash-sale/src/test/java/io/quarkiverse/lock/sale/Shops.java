package io.quarkiverse.lock.sale;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.FreePort;

/** Two nodes of the packaged application, each a JVM, with the same servers. */
final class Shops implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final Backend backend;
    private final Servers servers;
    private final List<String> options;
    private final List<URI> nodes;
    private final List<Process> processes;
    private final List<Leash> leashes;

    /** @param options of each JVM */
    Shops(Backend backend, String... options) throws IOException {
        this.backend = backend;
        this.options = List.of(options);
        servers = new Servers(backend);
        nodes = Stream.of(FreePort.find(), FreePort.find()).map(port -> URI.create("http://localhost:" + port)).toList();
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
        servers.close();
    }

    private Process launch(String name, URI node) throws IOException {
        Path target = Path.of("target").toAbsolutePath();
        String all = nodes.stream().map(URI::toString).collect(Collectors.joining(","));
        File log = target.resolve(name + ".log").toFile();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", // tuned for a fast start, as it does not live long
                "-Dquarkus.http.port=" + node.getPort(),
                "-Dflash-sale.name=" + name,
                "-Dflash-sale.nodes=" + all));
        command.addAll(servers.properties());
        command.addAll(options);
        command.addAll(List.of("-jar", target.resolve(backend.application + "/quarkus-run.jar").toString()));
        return new ProcessBuilder(command)
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
}
