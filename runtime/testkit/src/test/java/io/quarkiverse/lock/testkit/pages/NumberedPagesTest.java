package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/**
 * The numbers that tests cite are in the guide's internals, and each number there has a test. A test cites a fault by its
 * annotation, or only by its name in a module that does not use the testkit.
 */
class NumberedPagesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Path PAGES = ROOT.resolve("docs/modules/ROOT/pages/internals");
    private static final Pattern ROW = Pattern.compile("(?m)^\\|(\\d+)$");
    private static final Pattern CLASS = Pattern.compile("(?m)^\\|?`([A-Z]\\w+)`( \\+)?$");

    private static final List<Path> SOURCES = sources();

    @Test
    void faultsInTestsMatchThePage() {
        Set<Integer> cited = cited("Fault");
        cited.addAll(cited(Pattern.compile("void fault(\\d+)_")));
        assertThat(listed("faults.adoc")).isEqualTo(cited);
    }

    @Test
    void rulesInTestsMatchThePage() {
        Set<Integer> untested = Set.of(6); // its tests need a transaction manager: Fault 51 and the tests of deployment/core
        Set<Integer> listed = listed("meaning.adoc");
        assertThat(listed).containsAll(untested);
        listed.removeAll(untested);
        assertThat(listed).isEqualTo(cited("Rule"));
    }

    @Test
    void classesNamedOnThePageExist() {
        Set<String> classes = SOURCES.stream().map(path -> path.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
        Set<String> named = new TreeSet<>();
        Matcher matcher = CLASS.matcher(read(PAGES.resolve("faults.adoc")));
        while (matcher.find()) {
            named.add(matcher.group(1));
        }
        assertThat(named).isNotEmpty();
        assertThat(classes).containsAll(named);
    }

    private static Set<Integer> listed(String page) {
        Set<Integer> numbers = new TreeSet<>();
        Matcher matcher = ROW.matcher(read(PAGES.resolve(page)));
        while (matcher.find()) {
            numbers.add(Integer.valueOf(matcher.group(1)));
        }
        return numbers;
    }

    private static Set<Integer> cited(String annotation) {
        return cited(Pattern.compile("(?m)^\\s*@" + annotation + "\\(\\{?([\\d, ]+)\\}?\\)"));
    }

    private static Set<Integer> cited(Pattern cited) {
        Set<Integer> numbers = new TreeSet<>();
        for (Path source : SOURCES) {
            Matcher matcher = cited.matcher(read(source));
            while (matcher.find()) {
                for (String number : matcher.group(1).split(",")) {
                    numbers.add(Integer.valueOf(number.strip()));
                }
            }
        }
        return numbers;
    }

    private static List<Path> sources() {
        List<Path> sources = new ArrayList<>();
        try {
            for (String module : List.of("runtime", "deployment", "integration-tests")) {
                Files.walkFileTree(ROOT.resolve(module), new SimpleFileVisitor<>() {

                    @Override
                    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                        boolean built = directory.getFileName().toString().equals("target"); // another build may be writing there
                        return built ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".java")) {
                            sources.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sources;
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
