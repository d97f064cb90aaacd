package io.quarkiverse.lock.name;

import org.jspecify.annotations.Nullable;

/** The texts of which names are made from templates, compiled or not. */
public final class NameParts {

    private static final char ESCAPE = '\\';

    private NameParts() {
    }

    /**
     * Makes a part distinguishable from what follows it, by prefixing {@code separator} and {@code \} with a {@code \}. So the
     * part ends at the first unescaped separator, and two different lists of parts never give the same name.
     *
     * @param separator the first character of the text after the part
     */
    public static String escape(String part, char separator) {
        int length = part.length();
        for (int i = 0; i < length; i++) {
            if (special(part.charAt(i), separator)) {
                return escapeFrom(i, part, separator);
            }
        }
        return part;
    }

    private static String escapeFrom(int first, String part, char separator) {
        StringBuilder escaped = new StringBuilder(part.length() + 8).append(part, 0, first);
        for (int i = first; i < part.length(); i++) {
            char c = part.charAt(i);
            if (special(c, separator)) {
                escaped.append(ESCAPE);
            }
            escaped.append(c);
        }
        return escaped.toString();
    }

    private static boolean special(char c, char separator) {
        return c == separator || c == ESCAPE;
    }

    /**
     * The text of a part's value.
     *
     * @param method class and method, for the message
     * @param part the part as written, for the message
     */
    public static String text(@Nullable Object value, String method, String part) {
        if (value instanceof String text) {
            return text;
        }
        String text = value == null ? null : value.toString();
        if (text == null) {
            throw missing(method, part);
        }
        String problem = ValueTexts.problem(value, text);
        if (problem != null) {
            throw new IllegalArgumentException(
                    impossible(method) + "{" + part + "} is of " + problem);
        }
        return text;
    }

    /** A value on the path to a part, which must not be {@code null} for the path to continue. */
    public static Object step(@Nullable Object value, String method, String step) {
        if (value == null) {
            throw missing(method, step);
        }
        return value;
    }

    private static IllegalArgumentException missing(String method, String part) {
        return new IllegalArgumentException(impossible(method) + "{" + part + "} is null");
    }

    /** How the messages begin. */
    static String impossible(String method) {
        return "The lock name of " + method + " cannot be made: ";
    }
}
