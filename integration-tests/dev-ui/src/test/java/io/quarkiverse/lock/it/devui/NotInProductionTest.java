package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;

/** Nothing of the Dev UI is packaged. */
class NotInProductionTest {

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.datasource.db-kind", "h2");

    @ProdBuildResults
    ProdModeTestResults results;

    @Test
    void devModeArtifactsAreNotPackaged() throws Exception {
        try (Stream<Path> files = Files.walk(results.getBuildDir())) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .anyMatch(name -> name.contains("quarkus-lock-"))
                    .noneMatch(name -> name.contains("quarkus-lock-dev"))
                    .noneMatch(name -> name.contains("devui"));
        }
    }
}
