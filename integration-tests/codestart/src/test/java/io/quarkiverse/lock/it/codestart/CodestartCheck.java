package io.quarkiverse.lock.it.codestart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkus.devtools.commands.CreateProject;
import io.quarkus.devtools.commands.CreateProjectHelper;
import io.quarkus.devtools.project.BuildTool;
import io.quarkus.devtools.project.QuarkusProjectHelper;
import io.quarkus.devtools.testing.RegistryClientTestHelper;
import io.quarkus.registry.catalog.ExtensionCatalog;

/**
 * Applications as {@code quarkus create app -x io.quarkiverse.lock:quarkus-lock:<version>} makes them, from artifacts that are
 * installed:
 * {@code .ci/codestart}
 * installs them in a repository of its own and runs this.
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
    void theApplicationIsBuiltTestedAndTakesItsFirstLock() throws Exception {
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

    private static Path create(BuildTool tool, String extension) throws Exception {
        Path application = Files.createTempDirectory(Files.createDirectories(APPLICATIONS), extension + "-").toAbsolutePath();
        assertThat(new CreateProject(QuarkusProjectHelper.getProject(application, catalog, tool))
                .groupId("org.acme").artifactId("orders").javaVersion("17").extensions(Set.of(coordinates(extension))).execute()
                .isSuccess())
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
        // One that hangs is ended, and its output with it
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
