package io.quarkiverse.lock.it.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

/** An application packages the ZooKeeper client, and nothing that only a server, a shell or another logger needs. */
class PackagedJarsIT {

    private static final Path LIBRARIES = Path.of("target", "quarkus-app", "lib");

    @Test
    void onlyClientJarsArePackaged() throws IOException {
        assumeTrue(Files.isDirectory(LIBRARIES), "A native executable has none");
        assertThat(jars()).anyMatch(jar -> jar.contains("curator-framework"))
                .anyMatch(jar -> jar.contains(".zookeeper-3."))
                .anyMatch(jar -> jar.contains("slf4j-jboss-logmanager"));
        assertThat(jars()).noneMatch(jar -> jar.contains("curator-test"))
                .noneMatch(jar -> jar.contains("curator-recipes"))
                .noneMatch(jar -> jar.contains("logback"))
                .noneMatch(jar -> jar.contains("log4j"))
                .noneMatch(jar -> jar.contains("snappy"))
                .noneMatch(jar -> jar.contains("jetty"))
                .noneMatch(jar -> jar.contains("dropwizard"))
                .noneMatch(jar -> jar.contains("commons-io"))
                .noneMatch(jar -> jar.contains("jline"))
                .noneMatch(jar -> jar.contains("guava-"))
                .noneMatch(jar -> jar.contains("tcnative"))
                .noneMatch(jar -> jar.contains("junit"));
    }

    private static List<String> jars() throws IOException {
        try (var files = Files.walk(LIBRARIES)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".jar")).toList();
        }
    }
}
