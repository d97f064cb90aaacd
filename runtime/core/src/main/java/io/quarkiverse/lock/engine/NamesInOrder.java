package io.quarkiverse.lock.engine;

import java.util.TreeSet;

/** The one order in which everybody takes several names: so two who want the same names cannot wait for each other. */
public final class NamesInOrder {

    private NamesInOrder() {
    }

    /**
     * Sorted, and each but once.
     *
     * @throws IllegalArgumentException if there is none, or one that cannot be a name
     */
    public static String[] of(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("There must be at least one name to lock");
        }
        TreeSet<String> sorted = new TreeSet<>();
        for (String name : names) {
            sorted.add(LockNameRule.check(name));
        }
        return sorted.toArray(String[]::new);
    }
}
