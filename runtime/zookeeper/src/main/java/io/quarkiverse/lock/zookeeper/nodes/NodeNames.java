package io.quarkiverse.lock.zookeeper.nodes;

import java.util.HexFormat;

/**
 * Names as parts of a path: {@code [A-Za-z0-9._-]} stay as they are, of everything else each byte of its UTF-8 becomes
 * {@code %XX}. So do {@code .} and {@code ..}, which are no names to ZooKeeper. No two names become the same: half a character,
 * which has no UTF-8, becomes the three bytes that its number would have.
 */
public final class NodeNames {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private NodeNames() {
    }

    public static String encode(String name) {
        if (name.equals(".") || name.equals("..")) {
            return name.replace(".", "%2E");
        }
        for (int i = 0; i < name.length(); i++) {
            if (!plain(name.charAt(i))) {
                return escape(name, i);
            }
        }
        return name;
    }

    private static String escape(String name, int from) {
        var encoded = new StringBuilder(name.length() + 32).append(name, 0, from);
        int i = from;
        while (i < name.length()) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            if (c < 0x80) {
                if (plain((char) c)) {
                    encoded.append((char) c);
                } else {
                    put(encoded, c);
                }
            } else if (c < 0x800) {
                put(encoded, 0xC0 | c >> 6);
                put(encoded, 0x80 | c & 0x3F);
            } else if (c < 0x10000) {
                put(encoded, 0xE0 | c >> 12);
                put(encoded, 0x80 | c >> 6 & 0x3F);
                put(encoded, 0x80 | c & 0x3F);
            } else {
                put(encoded, 0xF0 | c >> 18);
                put(encoded, 0x80 | c >> 12 & 0x3F);
                put(encoded, 0x80 | c >> 6 & 0x3F);
                put(encoded, 0x80 | c & 0x3F);
            }
        }
        return encoded.toString();
    }

    private static void put(StringBuilder to, int octet) {
        to.append('%');
        HEX.toHexDigits(to, (byte) octet);
    }

    private static boolean plain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-';
    }
}
