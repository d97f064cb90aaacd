package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * Tests that a plain build leaves out run in the same build against the packaged application, except for single methods marked
 * {@code @FullBuild}.
 */
class PackagedOnlyTest {

    private static final Path TESTS = Path.of("").toAbsolutePath().getParent().getParent().resolve("integration-tests");
    private static final Pattern INHERITED = Pattern.compile("class \\w+ extends (\\w+)");

    @Test
    void everyExcludedTestRunsPackaged() throws IOException {
        List<String> leftOut = Files.readAllLines(TESTS.resolve("packaged-only"));
        assertThat(leftOut.get(0)).as("nested classes, which Surefire leaves out unless a list says what to leave out")
                .isEqualTo("**/*$*");
        assertThat(leftOut.subList(1, leftOut.size())).isNotEmpty().allSatisfy(line -> {
            String name = line.replaceFirst("^\\*\\*/lock/(.+)Test\\.java$", "$1");
            assertThat(name).isNotEqualTo(line);
            String simple = name.substring(name.lastIndexOf('/') + 1);
            assertRunsPackaged(name + "Test.java");
            assertThat(sources("io/quarkiverse/lock/" + name + "IT.java")).singleElement()
                    .satisfies(packaged -> assertThat(Files.readString(packaged))
                            .contains("@QuarkusIntegrationTest", "class " + simple + "IT extends " + simple + "Test {")
                            .doesNotContain("@Disabled", "@Enabled", "@FullBuild"));
        });
    }

    /** No test in the file, and none that its class inherits, is left out. */
    private static void assertRunsPackaged(String file) throws IOException {
        assertThat(sources("io/quarkiverse/lock/" + file)).singleElement().satisfies(source -> {
            String text = Files.readString(source);
            assertThat(text).doesNotContain("@Disabled", "@Enabled").doesNotContainPattern("(?m)^@FullBuild");
            Matcher inherited = INHERITED.matcher(text);
            if (inherited.find()) {
                assertRunsPackaged("it/" + inherited.group(1) + ".java");
            }
        });
    }

    private static List<Path> sources(String path) throws IOException {
        try (Stream<Path> modules = Files.list(TESTS)) {
            return modules.map(module -> module.resolve("src/test/java").resolve(path)).filter(Files::exists).toList();
        }
    }
}
