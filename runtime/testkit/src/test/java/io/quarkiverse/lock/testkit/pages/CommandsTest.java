package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The modules, artifacts, files, tests and switches that the guide names exist. */
class CommandsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Pattern MODULES = Pattern.compile("-pl ([\\w,/-]+)");
    private static final Pattern ARTIFACT = Pattern
            .compile("<groupId>io\\.quarkiverse\\.lock</groupId>\\s+<artifactId>([\\w-]+)|io\\.quarkiverse\\.lock:([\\w-]+)");
    private static final Pattern FILE = Pattern
            .compile("(?<![\\w/.-])(?:integration-tests|runtime|deployment|docs|\\.ci|\\.github|\\.mvn)/[\\w./-]*\\w");
    private static final Pattern TEST = Pattern.compile("-D(?:it\\.)?test=(\\w+)");
    private static final Pattern SWITCH = Pattern.compile("-D(lock\\.[\\w.-]+\\w)=");

    /** The places it names are packages and classes, see {@link PlacesTest}. */
    private static final String ARCHITECTURE = "architecture.adoc";
    /** Placeholders for any test, and for none. */
    private static final Set<String> NO_TESTS = Set.of("SomeTest", "none");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs/modules/ROOT/pages"))) {
            List<Path> guide = files.filter(file -> file.toString().endsWith(".adoc")).sorted().toList();
            return Stream.concat(guide.stream(), Stream.of("README.md", "CONTRIBUTING.md",
                    "integration-tests/benchmarks/README.md").map(ROOT::resolve));
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void namedModulesAndFilesExist(Path page) throws IOException {
        String text = Files.readString(page);
        for (String modules : named(MODULES, text)) {
            assertThat(modules.split(",")).allSatisfy(module -> assertThat(ROOT.resolve(module).resolve("pom.xml")).exists());
        }
        if (!page.endsWith(ARCHITECTURE)) {
            assertThat(named(FILE, text)).filteredOn(file -> !file.contains("/target/"))
                    .allSatisfy(file -> assertThat(ROOT.resolve(file)).exists());
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void namedArtifactsExist(Path page) throws IOException {
        assertThat(artifacts()).contains("quarkus-lock", "quarkus-lock-redis")
                .containsAll(named(ARTIFACT, Files.readString(page)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void namedTestsAndSwitchesExist(Path page) throws IOException {
        String text = Files.readString(page);
        String lines = text.replace("\\\n", " "); // each may be one command
        assertThat(lines.lines().filter(line -> line.contains("mvn "))).allSatisfy(command -> {
            assertThat(!command.contains("-Dtest=") || command.contains("-Dsurefire.failIfNoSpecifiedTests=false"))
                    .as("modules without such a test do not fail: %s", command).isTrue();
            assertThat(!command.contains("-Dit.test=") || command.contains("-Dfailsafe.failIfNoSpecifiedTests=false"))
                    .as("modules without such a test do not fail: %s", command).isTrue();
        });
        Set<String> tests = named(TEST, text);
        tests.removeAll(NO_TESTS);
        Set<String> switches = named(SWITCH, text);
        if (tests.isEmpty() && switches.isEmpty()) {
            return;
        }
        for (Path source : sources()) {
            tests.remove(source.getFileName().toString().replace(".java", ""));
            String content = switches.isEmpty() ? "" : Files.readString(source);
            switches.removeIf(content::contains);
            if (tests.isEmpty() && switches.isEmpty()) {
                break;
            }
        }
        assertThat(tests).as("missing tests").isEmpty();
        assertThat(switches).as("switches that nothing reads").isEmpty();
    }

    private static Set<String> named(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(CommandsTest::innermost).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String innermost(MatchResult match) {
        for (int group = match.groupCount(); group > 0; group--) {
            if (match.group(group) != null) {
                return match.group(group);
            }
        }
        return match.group();
    }

    private static Collection<String> artifacts() throws IOException {
        Set<String> artifacts = new TreeSet<>();
        for (Path pom : files("pom.xml")) {
            artifacts.addAll(named(Pattern.compile("</parent>\\s*<artifactId>([\\w-]+)"), Files.readString(pom)));
        }
        return artifacts;
    }

    /** Where a switch can be read: the tests, and the build itself. */
    private static List<Path> sources() throws IOException {
        return Stream.concat(Stream.concat(files(".java").stream().filter(file -> !file.endsWith("CommandsTest.java")),
                files("pom.xml").stream()), Stream.of(ROOT.resolve("pom.xml"))).toList();
    }

    private static List<Path> files(String name) throws IOException {
        Set<Path> found = new TreeSet<>();
        for (String group : List.of("runtime", "deployment", "integration-tests")) {
            Files.walkFileTree(ROOT.resolve(group), new SimpleFileVisitor<Path>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    // Skipped: files that tests of other modules write there come and go
                    return directory.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(name)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return List.copyOf(found);
    }
}
