package io.quarkiverse.lock.it.codestart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.TimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkus.devtools.commands.CreateProject;
import io.quarkus.devtools.commands.CreateProjectHelper;
import io.quarkus.devtools.project.BuildTool;
import io.quarkus.devtools.project.QuarkusProjectHelper;
import io.quarkus.devtools.testing.RegistryClientTestHelper;
import io.quarkus.registry.catalog.ExtensionCatalog;
import redis.embedded.RedisServer;

/**
 * Applications as {@code quarkus create app -x io.quarkiverse.lock:quarkus-lock:<version>} generates them from installed
 * artifacts: {@code .ci/codestart} installs them in a repository of its own and runs this.
 */
class CodestartCheck {

    private static final String GROUP = "io.quarkiverse.lock";
    private static final Path APPLICATIONS = Path.of("target/applications");

    private static ExtensionCatalog catalog;

    @BeforeAll
    static void ourExtensionsAreInTheCatalog() throws Exception {
        FileUtils.deleteDirectory(APPLICATIONS.toFile());
        RegistryClientTestHelper.enableRegistryClientTestConfig("io.quarkus", System.getProperty("quarkus.version"));
        Set<String> ours = Set.of(coordinates("quarkus-lock"), coordinates("quarkus-lock-redis"),
                coordinates("quarkus-lock-zookeeper"), coordinates("quarkus-lock-jpa"));
        catalog = CreateProjectHelper.completeCatalog(QuarkusProjectHelper.getCatalogResolver().resolveExtensionCatalog(), ours,
                QuarkusProjectHelper.artifactResolver());
    }

    @AfterAll
    static void disableTheRegistry() {
        RegistryClientTestHelper.disableRegistryClientTestConfig();
    }

    @ParameterizedTest
    @EnumSource(value = BuildTool.class, names = { "MAVEN", "GRADLE", "GRADLE_KOTLIN_DSL" })
    void everyBuildToolGetsTheExtensionAndTheCode(BuildTool tool) throws Exception {
        Path application = create(tool, "quarkus-lock");
        assertThat(application.resolve(tool.getDependenciesFile())).content().contains(GROUP, "quarkus-lock");
        for (String source : List.of("src/main/java/org/acme/MyLockedService.java", "src/main/java/org/acme/MyFirstLock.java",
                "src/test/java/org/acme/MyLockedServiceTest.java")) {
            assertThat(application.resolve(source)).content().startsWith("package org.acme;");
        }
        assertThat(application.resolve("README.md")).content().contains("`MyLockedService` runs", "`local`")
                .doesNotContain("{#", "Redis is started");
    }

    @ParameterizedTest
    @CsvSource({ "quarkus-lock, quarkus.lock.backend=local, backend `local`",
            "quarkus-lock-redis, , set `quarkus.redis.hosts`",
            "quarkus-lock-zookeeper, , set `quarkus.lock.zookeeper.connect-string`",
            "quarkus-lock-jpa, quarkus.lock.jpa.create-table=true, add its JDBC driver" })
    void everyBackendGetsItsConfiguration(String extension, String property, String readme) throws Exception {
        Path application = create(BuildTool.MAVEN, extension);
        assertThat(application.resolve("pom.xml")).content().contains("<artifactId>" + extension + "</artifactId>");
        assertThat(application.resolve("src/main/java/org/acme/MyLockedService.java")).exists();
        assertThat(application.resolve("README.md")).content().contains(readme);
        Path properties = application.resolve("src/main/resources/application.properties");
        List<String> configured = Files.exists(properties) ? Files.readAllLines(properties) : List.of();
        assertThat(configured).filteredOn(line -> line.startsWith("quarkus.lock"))
                .isEqualTo(property == null ? List.of() : List.of(property));
    }

    @Test
    void generatedApplicationBuildsAndTakesItsFirstLock() throws Exception {
        Path application = create(BuildTool.MAVEN, "quarkus-lock");
        Process build = new ProcessBuilder(System.getProperty("maven.home") + "/bin/mvn", "-B", "package",
                "-Dmaven.repo.local=" + System.getProperty("maven.repo.local"))
                .directory(application.toFile()).redirectErrorStream(true).start();
        assertThat(outputUntilTheEnd(build)).anyMatch(line -> line.contains("Tests run: 1, Failures: 0, Errors: 0"))
                .anyMatch(line -> line.contains("BUILD SUCCESS"));

        Process run = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-jar",
                "target/quarkus-app/quarkus-run.jar")
                .directory(application.toFile()).redirectErrorStream(true).start();
        try {
            List<String> output = outputUntil(run, "Installed features");
            assertThat(output)
                    .anyMatch(line -> line.matches(".*Order 42 was paid under its lock, with the fencing token \\d+"));
            assertThat(output).last().asString().contains("Installed features", "lock");
        } finally {
            run.destroyForcibly().waitFor();
        }
    }

    /** The rest of the guide's first page: a locked REST endpoint on two nodes with one Redis. */
    @Test
    @Timeout(600)
    void firstLockOfGuideExcludesOtherNode() throws Exception {
        Path application = create(BuildTool.MAVEN, "quarkus-lock-redis", "rest");
        addExample(application, "src/main/java", "PaymentResource.java");
        addExample(application, "src/test/java", "PaymentResourceTest.java");
        RedisServer redis = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"").build();
        redis.start();
        List<Process> nodes = new ArrayList<>();
        try {
            String hosts = "-Dquarkus.redis.hosts=redis://127.0.0.1:" + redis.ports().get(0);
            Process build = new ProcessBuilder(System.getProperty("maven.home") + "/bin/mvn", "-B", "package", hosts,
                    "-Dquarkus.http.test-port=0", "-Dmaven.repo.local=" + System.getProperty("maven.repo.local"))
                    .directory(application.toFile()).redirectErrorStream(true).start();
            assertThat(outputUntilTheEnd(build)).anyMatch(line -> line.contains("BUILD SUCCESS"))
                    .anyMatch(line -> line.contains("Tests run: 1") && line.endsWith("PaymentResourceTest"));
            int[] ports = { freePort(), freePort() };
            for (int port : ports) {
                Process node = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", hosts,
                        "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port, "-jar",
                        "target/quarkus-app/quarkus-run.jar")
                        .directory(application.toFile()).redirectErrorStream(true).start();
                nodes.add(node);
                outputUntil(node, "Installed features");
            }

            long start = System.nanoTime();
            var one = pay(ports[0]);
            var other = pay(ports[1]);
            long tokens = Math.abs(token(one.get()) - token(other.get()));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as("one after the other")
                    .isGreaterThan(Duration.ofSeconds(6));
            assertThat(tokens).isPositive();

            var dying = pay(ports[0]);
            assertThatThrownBy(() -> dying.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            nodes.get(0).destroyForcibly().waitFor();
            assertThat(dying).failsWithin(Duration.ofSeconds(10));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            HttpResponse<String> answer = pay(ports[1]).get();
            assertThat(answer.statusCode()).as("busy until the dead node's lease ends").isEqualTo(500);
            while (answer.statusCode() == 500 && System.nanoTime() < deadline) {
                answer = pay(ports[1]).get();
            }
            token(answer);
        } finally {
            for (Process node : nodes) {
                node.destroyForcibly().waitFor();
            }
            redis.stop();
        }
    }

    private static void addExample(Path application, String folder, String file) throws IOException {
        Path folders = Files.createDirectories(application.resolve(folder).resolve("org/acme"));
        Files.copy(Path.of("../../docs/modules/ROOT/examples/org/acme").resolve(file), folders.resolve(file));
    }

    private static CompletableFuture<HttpResponse<String>> pay(int port) {
        return HttpClient.newHttpClient().sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port
                + "/orders/42/payment")).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    private static long token(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).startsWith("Order 42 is paid, fencing token ");
        return Long.parseLong(answer.body().substring(answer.body().lastIndexOf(' ') + 1).trim());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Path create(BuildTool tool, String extension, String... others) throws Exception {
        Path application = Files.createTempDirectory(Files.createDirectories(APPLICATIONS), extension + "-").toAbsolutePath();
        Set<String> extensions = new HashSet<>(List.of(others));
        extensions.add(coordinates(extension));
        assertThat(new CreateProject(QuarkusProjectHelper.getProject(application, catalog, tool))
                .groupId("org.acme").artifactId("orders").javaVersion("17").extensions(extensions).execute().isSuccess())
                .as("created with %s", extension).isTrue();
        return application;
    }

    private static String coordinates(String extension) {
        return GROUP + ":" + extension + ":" + System.getProperty("lock.version");
    }

    private static List<String> outputUntilTheEnd(Process process) throws IOException {
        return outputUntil(process, null);
    }

    private static List<String> outputUntil(Process process, String awaited) throws IOException {
        List<String> lines = new ArrayList<>();
        // Kills a process that hangs, which ends its output
        CompletableFuture.runAsync(process::destroyForcibly, CompletableFuture.delayedExecutor(20, TimeUnit.MINUTES));
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            System.out.println(line);
            lines.add(line);
            if (awaited != null && line.contains(awaited)) {
                break;
            }
        }
        return lines;
    }
}
