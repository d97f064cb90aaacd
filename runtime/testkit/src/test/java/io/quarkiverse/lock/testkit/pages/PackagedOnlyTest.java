package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** What a plain build leaves out runs in the same build against the packaged application. */
class PackagedOnlyTest {

    private static final Path TESTS = Path.of("").toAbsolutePath().getParent().getParent().resolve("integration-tests");

    @Test
    void eachTestThatIsLeftOutRunsPackaged() throws IOException {
        List<String> leftOut = Files.readAllLines(TESTS.resolve("packaged-only"));
        assertThat(leftOut.get(0)).as("nested classes, which Surefire leaves out unless a list says what to leave out")
                .isEqualTo("**/*$*");
        assertThat(leftOut.subList(1, leftOut.size())).isNotEmpty().allSatisfy(line -> {
            String name = line.replaceFirst("^\\*\\*/lock/(.+)Test\\.java$", "$1");
            assertThat(name).isNotEqualTo(line);
            String simple = name.substring(name.lastIndexOf('/') + 1);
            assertThat(sources("io/quarkiverse/lock/" + name + "Test.java")).singleElement()
                    .satisfies(test -> assertThat(Files.readString(test)).doesNotContain("@DisabledOnIntegrationTest"));
            assertThat(sources("io/quarkiverse/lock/" + name + "IT.java")).singleElement()
                    .satisfies(packaged -> assertThat(Files.readString(packaged))
                            .contains("@QuarkusIntegrationTest", "class " + simple + "IT extends " + simple + "Test {")
                            .doesNotContain("@Disabled", "@Enabled", "@FullBuild"));
        });
    }

    private static List<Path> sources(String path) throws IOException {
        try (Stream<Path> modules = Files.list(TESTS)) {
            return modules.map(module -> module.resolve("src/test/java").resolve(path)).filter(Files::exists).toList();
        }
    }
}
