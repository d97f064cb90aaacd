package io.quarkiverse.lock.it;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.process.Signals;
import io.quarkiverse.lock.testkit.server.FreePort;

/** The packaged application in a separate process: a JVM, or the native executable. */
public final class Node implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(90);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final URI address;
    private final String ready;
    private final Process process;
    private final Leash leash;

    /**
     * @param name the name of its log in {@code target}
     * @param ready the path that answers once it can be used
     * @param properties its configuration
     */
    @SafeVarargs
    public Node(String name, String ready, Map<String, String>... properties) throws IOException {
        this(name, ready, List.of(), properties);
    }

    /** @param jvmOptions for the JVM; a native executable ignores them */
    @SafeVarargs
    public Node(String name, String ready, List<String> jvmOptions, Map<String, String>... properties) throws IOException {
        this.ready = ready;
        int port = FreePort.find();
        address = URI.create("http://127.0.0.1:" + port);
        Path target = Path.of("target").toAbsolutePath();
        Path executable = nativeExecutable(target);
        List<String> command = new ArrayList<>();
        if (executable == null) {
            command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
            command.addAll(jvmOptions);
        } else {
            command.add(executable.toString());
        }
        command.addAll(List.of("-Xmx192m", "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port));
        for (Map<String, String> some : properties) {
            some.forEach((key, value) -> command.add("-D" + key + "=" + value));
        }
        if (executable == null) {
            command.addAll(List.of("-jar", jar(target).toString()));
        }
        process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(Redirect.to(target.resolve(name + ".log").toFile())).start();
        leash = Leash.on(process);
    }

    private static @Nullable Path nativeExecutable(Path target) throws IOException {
        Properties artifact = built(target);
        return "native".equals(artifact.getProperty("type")) ? target.resolve(artifact.getProperty("path")) : null;
    }

    /** The properties that the build has written into {@code target}. */
    private static Properties built(Path target) throws IOException {
        var artifact = new Properties();
        try (var in = Files.newInputStream(target.resolve("quarkus-artifact.properties"))) {
            artifact.load(in);
        }
        return artifact;
    }

    /** If the build has only written the input for native-image, that jar: it runs on a JVM as well. */
    private static Path jar(Path target) throws IOException {
        if (!"native-sources".equals(built(target).getProperty("type"))) {
            return target.resolve("quarkus-app/quarkus-run.jar");
        }
        try (var files = Files.list(target.resolve("native-sources"))) {
            return files.filter(file -> file.toString().endsWith("-runner.jar")).findFirst().orElseThrow();
        }
    }

    public void awaitReady() {
        Await.until(address + " answers", START, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("The application at " + address + " has ended; see its log in target");
            }
            try {
                return HTTP.send(HttpRequest.newBuilder(address.resolve(ready)).build(), BodyHandlers.discarding())
                        .statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** The port of its HTTP endpoints. */
    public int port() {
        return address.getPort();
    }

    public String get(String path) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(address.resolve(path)).build(), BodyHandlers.ofString()).body();
    }

    /** The status, later. */
    public CompletableFuture<Integer> post(String path) {
        return send("POST", path);
    }

    /** The status, later. */
    public CompletableFuture<Integer> put(String path) {
        return send("PUT", path);
    }

    private CompletableFuture<Integer> send(String method, String path) {
        return call(method, path).thenApply(HttpResponse::statusCode);
    }

    /** The whole answer, later. */
    public CompletableFuture<HttpResponse<String>> call(String method, String path) {
        var request = HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofMinutes(3))
                .method(method, BodyPublishers.noBody()).build();
        return HTTP.sendAsync(request, BodyHandlers.ofString());
    }

    public void terminate() {
        Signals.terminate(process);
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void close() {
        leash.close();
    }
}
