package io.quarkiverse.lock.redis.script;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;

/**
 * What a backend tells every script: where names lie, how long their records are kept, and who asks.
 *
 * <p>
 * A name lies at {@code <key-prefix>1:{<namespace>:<name>}}. The 1 is the format of what is stored there; the braces make the
 * name alone decide the slot in a cluster. Two names never share a key: braces and {@code %} are percent-escaped, in the
 * namespace also the colon that ends it.
 */
public final class ScriptArguments {

    private static final String FORMAT = "1:";

    private final String beforeName;
    private final String beforeNoted;
    private final String retention;
    private final String cluster;
    private final String owner;
    private final boolean mayShareWrite;
    private final @Nullable Marker marker;

    public ScriptArguments(RedisLockOptions options, String namespace, String owner) {
        this(options, namespace, owner, null);
    }

    /** @param marker of the server, if scripts are to look at it */
    public ScriptArguments(RedisLockOptions options, String namespace, String owner, @Nullable Marker marker) {
        this.beforeName = options.keyPrefix() + FORMAT + "{" + escape(namespace, true) + ":";
        this.beforeNoted = options.keyPrefix() + FORMAT + "o:{" + escape(namespace, true) + ":";
        this.retention = String.valueOf(options.retention().toMillis());
        this.cluster = options.cluster() ? "1" : "0";
        this.owner = owner;
        this.mayShareWrite = !options.cluster();
        this.marker = marker;
    }

    public String key(String name) {
        return beforeName + escape(name, false) + "}";
    }

    /** The key of the notes of the name's waiters: in the same slot, and apart from the keys that a list scans. */
    public String notesKey(String name) {
        return beforeNoted + escape(name, false) + "}";
    }

    /** Matches the keys of the names with a prefix, and maybe some others. */
    public String pattern(String prefix) {
        boolean halved = !prefix.isEmpty() && Character.isHighSurrogate(prefix.charAt(prefix.length() - 1));
        // A name may continue with the other surrogate, and a pair is escaped differently
        String whole = halved ? prefix.substring(0, prefix.length() - 1) : prefix;
        return (beforeName + escape(whole, false)).replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0") + "*";
    }

    /** The name that has this {@link #key}; {@code null} if it is not one of ours. */
    public @Nullable String name(String key) {
        if (!key.startsWith(beforeName) || !key.endsWith("}")) {
            return null;
        }
        String escaped = key.substring(beforeName.length(), key.length() - 1);
        var name = new StringBuilder(escaped.length());
        int i = 0;
        while (i < escaped.length()) {
            char c = escaped.charAt(i++);
            if (c == '%') {
                boolean half = i < escaped.length() && escaped.charAt(i) == 'u';
                int from = half ? i + 1 : i;
                i = from + (half ? 4 : 2);
                if (i > escaped.length()) {
                    return null;
                }
                try {
                    c = (char) HexFormat.fromHexDigits(escaped, from, i);
                } catch (NumberFormatException e) {
                    return null;
                }
            }
            name.append(c);
        }
        return name.isEmpty() ? null : name.toString();
    }

    /** Where messages for a JVM go. */
    public static String channel(String prefix, String jvm) {
        return prefix + FORMAT + "jvm:" + jvm;
    }

    /** How long a record outlives its content, in milliseconds. */
    public String retention() {
        return retention;
    }

    /** {@code 1} in a cluster. */
    public String cluster() {
        return cluster;
    }

    /** Of the server; {@code null} where scripts do not look at it. */
    public @Nullable Marker marker() {
        return marker;
    }

    /**
     * What a holder says about its hold in every call except a renewal: see {@code own.lua}.
     *
     * @param hold fence, mode, limit
     */
    public List<String> known(List<String> hold, long leaseNanos) {
        var all = new ArrayList<String>(7);
        all.add(marker == null ? "" : marker.incarnation());
        all.add(owner);
        all.add(""); // the next renewal says where messages go
        all.addAll(hold);
        all.add(millis(leaseNanos));
        return all;
    }

    /** Describes this JVM to people. */
    public String owner() {
        return owner;
    }

    /** Whether calls may share one write; in a cluster they would all have to be for one slot. */
    public boolean mayShareWrite() {
        return mayShareWrite;
    }

    /** One more than asked for: the server counts in whole milliseconds, and the lease must not end there first. */
    public static String millis(long nanos) {
        return String.valueOf(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    /** {@code X}, {@code S} or {@code L}. */
    public static String mode(Claim claim) {
        if (claim.limit() > 0) {
            return "L";
        }
        return switch (claim.mode()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
        };
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
                // A lone surrogate has no UTF-8 form: all of them would become the same question mark
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
