package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * The applications of the integration tests are written like a user's: the API suffices for everything they do. Types of other
 * packages are public only so that those packages can use each other.
 */
class ApplicationsTest {

    private static final Path TESTS = Path.of("").toAbsolutePath().getParent().getParent().resolve("integration-tests");
    private static final Pattern PACKAGE = Pattern.compile("\\bio\\.quarkiverse\\.lock\\.([a-z]\\w*)");
    /** Their own packages, and those available to users besides the API. */
    private static final Set<String> ALLOWED = Set.of("it", "sale", "rest", "test");
    /** Not applications: benchmarks start engines directly, and an author of a backend works with the SPI. */
    private static final Set<String> NO_APPLICATIONS = Set.of("benchmarks", "own-backend");

    @Test
    void applicationsUseOnlyTheApi() throws IOException {
        Set<String> others = new TreeSet<>();
        List<Path> sources = sources();
        assertThat(sources).hasSizeGreaterThan(30);
        for (Path source : sources) {
            Matcher matcher = PACKAGE.matcher(Files.readString(source));
            while (matcher.find()) {
                if (!ALLOWED.contains(matcher.group(1))) {
                    others.add(TESTS.relativize(source) + " uses " + matcher.group());
                }
            }
        }
        assertThat(others).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(TESTS)) {
            modules.filter(module -> !NO_APPLICATIONS.contains(module.getFileName().toString()))
                    .map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory).forEach(main -> addSources(main, sources));
        }
        return sources;
    }

    private static void addSources(Path directory, List<Path> sources) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
