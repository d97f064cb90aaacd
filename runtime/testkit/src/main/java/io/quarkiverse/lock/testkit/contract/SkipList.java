package io.quarkiverse.lock.testkit.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The tests that an environment is known to skip: {@code /contract-skips/<environment>.txt}, a line {@code Group.method reason}
 * for each test, or {@code Group.* reason} for a whole group. Lines that begin with {@code #} are comments.
 */
public final class SkipList {

    /** Replaces the method when all tests of a group are skipped. */
    static final String WHOLE_GROUP = "*";

    private SkipList() {
    }

    /** All of them, as {@code Group.method}. */
    public static Set<String> all(String environment) {
        return text(environment).lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(line -> line.split("\\s+", 2)[0]).collect(Collectors.toSet());
    }

    /** Method to reason. */
    static Map<String, String> of(String environment, Class<?> group) {
        Map<String, String> skips = new TreeMap<>();
        String prefix = group.getSimpleName() + ".";
        text(environment).lines().map(String::strip)
                .filter(line -> line.startsWith(prefix))
                .forEach(line -> {
                    String[] parts = line.substring(prefix.length()).split("\\s+", 2);
                    if (parts.length < 2) {
                        throw new IllegalStateException("No reason given in contract-skips: " + line);
                    }
                    skips.put(parts[0], parts[1]);
                });
        return skips;
    }

    private static String text(String environment) {
        try (var in = SkipList.class.getResourceAsStream("/contract-skips/" + environment + ".txt")) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
