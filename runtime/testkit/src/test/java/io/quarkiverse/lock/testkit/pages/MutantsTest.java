package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * {@code patch} may ignore the outer two lines before and after a change. The lines between them, and the removed lines, have
 * to be in the file exactly as in the mutant.
 */
class MutantsTest {

    private static final int IGNORED = 2;
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    /** @param lines each with its diff prefix */
    private record Hunk(Path mutant, Path file, List<String> lines) {

        boolean isLost() {
            try {
                return Collections.indexOfSubList(Files.readAllLines(file), place()) < 0;
            } catch (IOException e) {
                return true;
            }
        }

        private List<String> place() {
            List<String> before = lines.stream().filter(line -> !line.startsWith("+")).toList();
            int from = Math.min(IGNORED, context(before));
            List<String> backwards = new ArrayList<>(before);
            Collections.reverse(backwards);
            int to = before.size() - Math.min(IGNORED, context(backwards));
            return (from < to ? before.subList(from, to) : before).stream()
                    .map(line -> line.isEmpty() ? line : line.substring(1)).toList();
        }

        /** The number of lines before the first removed one. */
        private static int context(List<String> lines) {
            return (int) lines.stream().takeWhile(line -> !line.startsWith("-")).count();
        }
    }

    @Test
    void everyMutantStillApplies() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("runtime/testkit/mutants"))) {
            List<Path> mutants = files.filter(file -> file.toString().endsWith(".patch")).toList();
            assertThat(mutants).hasSizeGreaterThan(700);
            List<Hunk> hunks = new ArrayList<>();
            for (Path mutant : mutants) {
                hunks.addAll(hunks(mutant));
            }
            assertThat(hunks).hasSizeGreaterThanOrEqualTo(mutants.size());
            assertThat(hunks.stream().filter(Hunk::isLost)).isEmpty();
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
