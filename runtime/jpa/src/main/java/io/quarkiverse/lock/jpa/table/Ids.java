package io.quarkiverse.lock.jpa.table;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How names are stored. */
public final class Ids {

    /** Less than every key. Not an empty text, which is NULL in Oracle, and nothing comes after NULL. */
    public static final String BEFORE_ALL = "0";

    private Ids() {
    }

    /**
     * The key of a name's row: SHA-256 over the chars of namespace and name. Not over an encoding, in which all lone surrogates
     * would be the same. The namespace's length comes first, so that no two pairs give the same text.
     */
    public static String of(String namespace, String name) {
        String text = namespace.length() + ":" + namespace + name;
        byte[] chars = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            chars[2 * i] = (byte) (text.charAt(i) >> 8);
            chars[2 * i + 1] = (byte) text.charAt(i);
        }
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(chars));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /**
     * For people who look at the table: printable ASCII, which fits every column whatever its character set, cut to the
     * column's length.
     */
    public static String readable(String text) {
        var readable = new StringBuilder(Math.min(text.length(), LockRow.NAME_LENGTH));
        for (int i = 0; i < text.length() && readable.length() < LockRow.NAME_LENGTH; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                readable.append(c);
            } else {
                readable.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        readable.setLength(Math.min(readable.length(), LockRow.NAME_LENGTH));
        return readable.toString();
    }
}
