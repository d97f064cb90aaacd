package io.quarkiverse.lock.it.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of {@code checks.txt}: a model with some of its constants changed, and the expected verdict of TLC.
 *
 * @param when what enables the check, if anything
 * @param symmetric whether clients can be swapped
 * @param constants those that differ from the model's configuration
 * @param violated the invariant that must be violated, {@code HOLDS} if none
 * @param only the invariants to check; empty for all
 */
record Check(String model, When when, boolean symmetric, String what, Map<String, String> constants, String violated,
        List<String> only) {

    /** In each build, or, if slower, only with {@code -Dlock.test.full=true} or {@code -Dlock.test.large=true}. */
    enum When {

        BUILD,
        FULL,
        LARGE;

        /** If neither property is set, as in an IDE, full checks run and large ones do not. */
        boolean now() {
            return this == BUILD || this == FULL && !"false".equals(System.getProperty("lock.test.full"))
                    || this == LARGE && Boolean.getBoolean("lock.test.large");
        }
    }

    static final String HOLDS = "holds";
    static final Path MODELS = Path.of("../../docs/models").toAbsolutePath().normalize();

    private static final Pattern CONSTANT = Pattern.compile("(\\w+) (=|<-) (.+)");

    boolean mutant() {
        return !violated.equals(HOLDS);
    }

    static List<Check> all() throws IOException {
        List<Check> checks = new ArrayList<>();
        for (String line : Files.readAllLines(MODELS.resolve("checks.txt"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                checks.add(of(line));
            }
        }
        return checks;
    }

    private static Check of(String line) {
        String[] cells = line.split("\\s*\\|\\s*", -1);
        assertThat(cells).as(line).hasSize(5);
        Map<String, String> constants = new LinkedHashMap<>();
        for (String constant : cells[3].isEmpty() ? new String[0] : cells[3].split(";\\s*")) {
            Matcher matcher = CONSTANT.matcher(constant);
            assertThat(matcher.matches()).as(line).isTrue();
            constants.put(matcher.group(1), constant);
        }
        String[] verdict = cells[4].split(" only ");
        return new Check(cells[0], When.valueOf(cells[1].split(" ")[0].toUpperCase(Locale.ROOT)), !cells[1].endsWith("nosym"),
                cells[2], constants,
                verdict[0], verdict.length == 1 ? List.of() : List.of(verdict[1].split(", ")));
    }

    /** The invariants of a model. */
    static List<String> invariants(String model) throws IOException {
        List<String> lines = Files.readAllLines(MODELS.resolve(model + ".cfg"));
        return lines.subList(lines.indexOf("INVARIANTS") + 1, lines.size()).stream().map(String::strip).toList();
    }

    /** The model's configuration, with the changes applied. */
    List<String> configuration() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(MODELS.resolve(model + ".cfg")));
        if (!symmetric) {
            lines.removeIf(line -> line.startsWith("SYMMETRY"));
        }
        for (var constant : constants.entrySet()) {
            Pattern pattern = Pattern.compile("  " + constant.getKey() + " (=|<-) .*");
            assertThat(lines).as(constant.getKey()).anyMatch(pattern.asMatchPredicate());
            lines.replaceAll(line -> pattern.matcher(line).matches() ? "  " + constant.getValue() : line);
        }
        if (!only.isEmpty()) {
            List<String> invariants = lines.subList(lines.indexOf("INVARIANTS") + 1, lines.size());
            assertThat(invariants.stream().map(String::strip)).containsAll(only);
            invariants.removeIf(line -> !only.contains(line.strip()));
        }
        return lines;
    }

    @Override
    public String toString() {
        return model + ": " + what;
    }
}
