package io.quarkiverse.lock.engine.acquire;

import java.util.List;
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

    /** What no other names have in common with these, which are in order. */
    public static Object key(String... names) {
        return names.length == 1 ? names[0] : List.of(names); // joined, they could read like another name
    }
}
