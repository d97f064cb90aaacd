package io.quarkiverse.lock.text;

/**
 * Formats a lock's name, or another text of foreign origin, for a message: on one line, and of bounded length. Names are often
 * made from user input: a line break in one must not look like another line of the log, and a terminal must not act on an
 * escape sequence. All messages about locks write names this way. For an application's own messages:
 *
 * <pre>{@code
 * LOG.infof("Sold under lock '%s'", PrintableName.of(handle.name()));
 * }</pre>
 *
 * Invisible characters become {@code \n}, {@code \r}, {@code \t} or {@code \}{@code u001b}: control characters, line
 * separators, marks that change the text direction, unpaired surrogates. Everything else is unchanged, so two names can look
 * the same: the result is for people to read, never for comparison.
 */
public final class PrintableName {

    /** Longer texts are cut, and state their original length. */
    private static final int MAX_LENGTH = 200;

    private PrintableName() {
    }

    /** The name as messages show it: only visible characters, at most 200, followed by the original length if it was cut. */
    public static String of(String name) {
        if (name.length() <= MAX_LENGTH) {
            return oneLine(name);
        }
        int end = Character.isHighSurrogate(name.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
        return oneLine(name.substring(0, end)) + "… (" + name.length() + " characters)";
    }

    /** A whole message, of any length, as one line of visible characters. */
    public static String oneLine(String message) {
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            if (c < ' ' || c > '~') {
                return escaped(message, i);
            }
        }
        return message;
    }

    private static String escaped(String message, int from) {
        var line = new StringBuilder(message.length() + 16).append(message, 0, from);
        int i = from;
        while (i < message.length()) {
            int c = message.codePointAt(i);
            i += Character.charCount(c);
            append(line, c);
        }
        return line.toString();
    }

    private static void append(StringBuilder line, int c) {
        switch (c) {
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> {
                if (visible(c)) {
                    line.appendCodePoint(c);
                } else {
                    line.append(c > Character.MAX_VALUE ? String.format("\\U%08x", c) : String.format("\\u%04x", c));
                }
            }
        }
    }

    private static boolean visible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED ->
                false;
            default -> true;
        };
    }
}
