package io.quarkiverse.lock.engine.acquire;

import io.quarkiverse.lock.text.PrintableName;

/** The rule for lock names: any string of 1 to 1,024 characters. */
public final class LockNameRule {

    private static final int MAX_LENGTH = 1024;

    private LockNameRule() {
    }

    /**
     * Returns the name if it is valid.
     *
     * @throws IllegalArgumentException if it is empty or too long
     */
    public static String check(String name) {
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("The name of a lock must not be " + (name == null ? "null" : "empty"));
        }
        if (name.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("The name of a lock must not be longer than " + MAX_LENGTH
                    + " characters, but '" + PrintableName.oneLine(name.substring(0, 40)) + "…' has " + name.length());
        }
        return name;
    }
}
