package io.quarkiverse.lock.jpa.table;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How the names of one namespace are stored. */
public final class LockNames {

    /** Less than every key. Not an empty text, which is NULL in Oracle, and nothing comes after NULL. */
    public static final String BEFORE_ALL = "0";

    private final String namespace;
    private final String readableNamespace;

    public LockNames(String namespace) {
        this.namespace = namespace;
        // The namespace must not contain its terminator, or a and b:x would look like a:b and x
        this.readableNamespace = namespace.replace(":", "\\u003a") + ":";
    }

    /**
     * The key of a name's row: SHA-256 over the chars of namespace and name. Not over an encoding, in which all lone surrogates
     * would be the same. The namespace's length comes first, so that no two pairs give the same text.
     */
    public String id(String name) {
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

    /** The name for people who look at the table. */
    public String readable(String name) {
        return printable(readableNamespace + name);
    }

    /** A text for such people: printable ASCII, which fits every column whatever its character set, cut to its length. */
    public static String printable(String text) {
        var printable = new StringBuilder(Math.min(text.length(), LockRow.NAME_LENGTH));
        for (int i = 0; i < text.length() && printable.length() < LockRow.NAME_LENGTH; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                printable.append(c);
            } else {
                printable.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        printable.setLength(Math.min(printable.length(), LockRow.NAME_LENGTH));
        return printable.toString();
    }
}
