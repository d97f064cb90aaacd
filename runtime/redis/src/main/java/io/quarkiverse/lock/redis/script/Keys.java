package io.quarkiverse.lock.redis.script;

import java.util.HexFormat;

/**
 * Where a name lies in Redis: {@code <key-prefix>1:{<namespace>:<name>}}. The 1 is the format of what is stored there; the
 * braces make the name alone decide the slot in a cluster.
 *
 * <p>
 * Two names never share a key: braces and {@code %} are percent-escaped, in the namespace also the colon that ends it.
 */
public final class Keys {

    private static final String FORMAT = "1:";

    private final String beforeName;

    Keys(String prefix, String namespace) {
        beforeName = prefix + FORMAT + "{" + escape(namespace, true) + ":";
    }

    String of(String name) {
        return beforeName + escape(name, false) + "}";
    }

    public static String channel(String prefix, String jvm) {
        return prefix + FORMAT + "jvm:" + jvm;
    }

    private static String escape(String text, boolean colon) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean lone = Character.isSurrogate(c) && !paired(text, i);
            if (c == '{' || c == '}' || c == '%' || lone || colon && c == ':') {
                if (escaped == null) {
                    escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
                }
                // Half a character has no UTF-8: all halves would become the same question mark.
                escaped.append('%').append(lone ? "u" + HexFormat.of().toHexDigits(c) : HexFormat.of().toHexDigits((byte) c));
            } else if (escaped != null) {
                escaped.append(c);
            }
        }
        return escaped == null ? text : escaped.toString();
    }

    private static boolean paired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
