package io.quarkiverse.lock.engine.acquire;

import java.util.List;
import java.util.TreeSet;

/** The one order in which all callers take several names, so that two that want the same names cannot wait for each other. */
public final class NamesInOrder {

    private NamesInOrder() {
    }

    /**
     * Sorted and without duplicates.
     *
     * @throws IllegalArgumentException if there is no name, or an invalid one
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

    /** A key that is unique to these names, which must be in order. */
    public static Object key(String... names) {
        return names.length == 1 ? names[0] : List.of(names); // joined, they could look like another name
    }
}
