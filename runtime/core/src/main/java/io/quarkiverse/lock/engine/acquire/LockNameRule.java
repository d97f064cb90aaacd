package io.quarkiverse.lock.engine.acquire;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

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
        String problem = problem(name);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return name;
    }

    /**
     * Whether UTF-8 has a form for the text. It has none for an unpaired surrogate, which encoders turn into a question mark:
     * what passes through UTF-8 would then be another name.
     */
    public static boolean hasUtf8Form(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** What is wrong with the name; {@code null} if it is valid. */
    public static @Nullable String problem(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            return "The name of a lock must not be " + (name == null ? "null" : "empty");
        }
        return name.length() <= MAX_LENGTH ? null
                : "The name of a lock must not be longer than " + MAX_LENGTH + " characters, but '"
                        + PrintableName.oneLine(name.substring(0, 40)) + "…' has " + name.length();
    }
}
