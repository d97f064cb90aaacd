package io.quarkiverse.lock.zookeeper.nodes;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;

/**
 * The paths of nodes: {@code <root>/<name>/_c_<token>-<kind><number>}, as Curator's recipes write them. A name's container
 * holds nothing else, since the recipes count every child.
 */
public final class NodePaths {

    /** The format of what lies below the root. */
    public static final int FORMAT = 1;
    private static final String MARK = "quarkus-lock ";

    private static final int TOKEN_AT = "_c_".length();
    /** The token has four dashes. */
    private static final int TOKEN_END = TOKEN_AT + 36;
    private static final int VERSION_AT = TOKEN_AT + 14;
    private static final int VARIANT_AT = TOKEN_AT + 19;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final String root;
    private final String exclusive;
    private final LockNodes nodes;
    private final boolean quiet;

    /** @param quiet whether nodes with a limit say that they will not announce their entry */
    public NodePaths(String root, LockNodes nodes, boolean quiet) {
        this.root = root;
        this.nodes = nodes;
        this.quiet = quiet;
        this.exclusive = nodes.kind(LockMode.EXCLUSIVE);
    }

    public String root() {
        return root;
    }

    public String container(String name) {
        return root + '/' + encode(name);
    }

    /**
     * The node of a claim whose creation got no reply. There may be two: the older one belongs to an earlier session.
     *
     * @param prefix as {@link #prefix}
     */
    public static @Nullable String latest(String container, List<String> children, String prefix) {
        String latest = null;
        for (String child : children) {
            String path = container + '/' + child;
            // They differ only in their numbers, which are padded with zeros
            if (path.startsWith(prefix) && (latest == null || path.compareTo(latest) > 0)) {
                latest = path;
            }
        }
        return latest;
    }

    /** The token of the claim that a node belongs to; meaningless for a node that no claim of ours made. */
    public static String token(String node) {
        return node.length() < TOKEN_END ? "" : node.substring(TOKEN_AT, TOKEN_END).replace("-", "");
    }

    /**
     * Whether a node certainly does not belong to one of Curator's recipes. Their UUIDs are marked as random ones. Ours are
     * plain random bits, of which one in 64 looks the same.
     */
    public static boolean surelyOurs(String node) {
        return node.startsWith("_c_") && node.length() > TOKEN_END
                && (node.charAt(VERSION_AT) != '4' || "89ab".indexOf(node.charAt(VARIANT_AT)) < 0);
    }

    /** The path of the claim's node, without its number. */
    public String prefix(String container, Claim claim) {
        String token = claim.token();
        String kind = claim.mode() == LockMode.EXCLUSIVE ? exclusive : nodes.kind(claim.mode());
        var prefix = new StringBuilder(container.length() + 72).append(container).append("/_c_")
                .append(token, 0, 8).append('-').append(token, 8, 12).append('-').append(token, 12, 16).append('-')
                .append(token, 16, 20).append('-').append(token, 20, 32).append('-');
        if (claim.limit() > 0) {
            LockNodes.appendLimit(prefix, claim.limit(), quiet);
        }
        return prefix.append(kind).toString();
    }

    /**
     * A name as part of a path: {@code [A-Za-z0-9._-]} stay as they are; everything else becomes {@code %XX} for each byte of
     * its UTF-8. So do {@code .} and {@code ..}, which ZooKeeper does not accept as names. No two names become the same: a lone
     * surrogate, which has no UTF-8 form, becomes the three bytes that its number would have.
     */
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

    /** What the root says about the format below it. */
    public static byte[] rootData() {
        return (MARK + FORMAT).getBytes(StandardCharsets.UTF_8);
    }

    /** The format that a root names, unless it is {@link #FORMAT} or other data, such as Curator's. */
    public static @Nullable String unknownFormat(byte @Nullable [] rootData) {
        String text = rootData == null ? "" : new String(rootData, StandardCharsets.UTF_8);
        String format = text.startsWith(MARK) ? text.substring(MARK.length()).strip() : null;
        return String.valueOf(FORMAT).equals(format) ? null : format;
    }

    /** The name that is {@linkplain #encode encoded} like this; {@code null} if none is. */
    public static @Nullable String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        var name = new StringBuilder(encoded.length());
        int i = 0;
        while (i < encoded.length()) {
            char c = encoded.charAt(i);
            if (c != '%') {
                name.append(c);
                i++;
                continue;
            }
            int first = octet(encoded, i);
            int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
            int code = more == 0 ? first : first & 0x3F >> more;
            for (int n = 1; n <= more; n++) {
                code = code << 6 | octet(encoded, i + 3 * n) & 0x3F;
            }
            i += 3 * (more + 1);
            if (first < 0 || code < 0 || code > Character.MAX_CODE_POINT) {
                return null;
            }
            name.appendCodePoint(code);
        }
        String decoded = name.toString();
        return encode(decoded).equals(encoded) ? decoded : null;
    }

    /** -1 if there is none. */
    private static int octet(String encoded, int at) {
        return at + 3 <= encoded.length() && encoded.charAt(at) == '%' && HexFormat.isHexDigit(encoded.charAt(at + 1))
                && HexFormat.isHexDigit(encoded.charAt(at + 2)) ? HexFormat.fromHexDigits(encoded, at + 1, at + 3) : -1;
    }

    private static void put(StringBuilder to, int octet) {
        to.append('%');
        HEX.toHexDigits(to, (byte) octet);
    }

    private static boolean plain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-';
    }
}
