package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * {@code patch} forgives changed lines around a change, and puts a mutant that only adds lines wherever the rest fits. So what
 * a
 * mutant removes, or else what is next to what it adds, has to be in its file.
 */
class MutantsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    /** @param lines each with what is done to it in front */
    private record Hunk(Path mutant, Path file, List<String> lines) {

        Stream<String> lost() {
            try {
                List<String> source = Files.readAllLines(file);
                return place().filter(line -> !source.contains(line)).map(line -> mutant.getFileName() + ": " + line);
            } catch (IOException e) {
                return Stream.of(mutant.getFileName() + ": " + e);
            }
        }

        private Stream<String> place() {
            List<String> removed = lines.stream().filter(line -> line.startsWith("-")).toList();
            return (removed.isEmpty() ? besideAdded() : removed.stream()).map(line -> line.substring(1));
        }

        private Stream<String> besideAdded() {
            return IntStream.range(0, lines.size()).filter(i -> lines.get(i).startsWith(" ") && (added(i - 1) || added(i + 1)))
                    .mapToObj(lines::get);
        }

        private boolean added(int i) {
            return i >= 0 && i < lines.size() && lines.get(i).startsWith("+");
        }
    }

    @Test
    void eachFindsItsPlace() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("runtime/testkit/mutants"))) {
            List<Path> mutants = files.filter(file -> file.toString().endsWith(".patch")).toList();
            assertThat(mutants).hasSizeGreaterThan(700);
            List<Hunk> hunks = new ArrayList<>();
            for (Path mutant : mutants) {
                hunks.addAll(hunks(mutant));
            }
            assertThat(hunks).hasSizeGreaterThanOrEqualTo(mutants.size());
            assertThat(hunks.stream().flatMap(Hunk::lost)).isEmpty();
        }
    }

    private static List<Hunk> hunks(Path mutant) throws IOException {
        List<Hunk> hunks = new ArrayList<>();
        Path file = null;
        for (String line : Files.readAllLines(mutant)) {
            if (line.startsWith("+++ b/")) {
                file = ROOT.resolve(line.substring("+++ b/".length()));
            } else if (line.startsWith("@@")) {
                hunks.add(new Hunk(mutant, file, new ArrayList<>()));
            } else if (!line.startsWith("#") && !line.startsWith("--- a/") && !hunks.isEmpty()) {
                hunks.get(hunks.size() - 1).lines().add(line);
            }
        }
        return hunks;
    }
}
