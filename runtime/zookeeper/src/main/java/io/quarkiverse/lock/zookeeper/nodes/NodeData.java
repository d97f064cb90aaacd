package io.quarkiverse.lock.zookeeper.nodes;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The data of a lock node, for people: the first line describes the JVM that created it, the second has the lease in
 * milliseconds. A node of Curator's recipes has an address and no second line. A third line says that the holder of an
 * exclusive node lets readers in; it is never taken back. Or it notes what the callers that wait with this node hold. A release
 * request is appended; Curator's {@code Revoker} replaces the data with it, and its recipes understand nothing else.
 *
 * @param note {@code null} if there is none
 */
public record NodeData(String owner, long leaseMillis, boolean shared, @Nullable String note) {

    private static final byte[] REVOKE = "__REVOKE__".getBytes(StandardCharsets.UTF_8);

    private static final String SHARED = "\n__SHARED__";
    private static final String NOTE = "\n__NOTE__ ";

    public static byte[] of(String owner, long leaseMillis) {
        return (owner.replace('\n', ' ') + '\n' + leaseMillis).getBytes(StandardCharsets.UTF_8);
    }

    public static NodeData of(byte @Nullable [] data) {
        String text = data == null ? ""
                : new String(data, 0, asked(data) ? data.length - REVOKE.length : data.length,
                        StandardCharsets.UTF_8).stripTrailing();
        int end = text.indexOf('\n');
        if (end < 0) {
            return new NodeData(text.isBlank() ? "an unknown client" : text, 0, false, null);
        }
        int noteAt = text.indexOf(NOTE, end + 1);
        int last = text.length() - SHARED.length();
        boolean shared = noteAt < 0 && last > end && text.endsWith(SHARED);
        try {
            return new NodeData(text.substring(0, end),
                    Long.parseLong(text.substring(end + 1, noteAt > 0 ? noteAt : shared ? last : text.length())), shared,
                    noteAt > 0 ? text.substring(noteAt + NOTE.length()) : null);
        } catch (NumberFormatException e) {
            return new NodeData(text, 0, false, null);
        }
    }

    /** The data of a node whose claim waits. */
    public static byte[] note(byte[] created, String note) {
        byte[] line = (NOTE + note).getBytes(StandardCharsets.UTF_8);
        byte[] noted = Arrays.copyOf(created, created.length + line.length);
        System.arraycopy(line, 0, noted, created.length, line.length);
        return noted;
    }

    /** Whether somebody has requested the release of the node. */
    public static boolean asked(byte @Nullable [] data) {
        return data != null && data.length >= REVOKE.length
                && Arrays.equals(data, data.length - REVOKE.length, data.length, REVOKE, 0, REVOKE.length);
    }

    /** The same data with that request. It keeps who created the node, except for a node of Curator's. */
    public static byte[] ask(byte @Nullable [] data) {
        if (data == null || !ours(data)) {
            return REVOKE;
        }
        byte[] asked = Arrays.copyOf(data, data.length + 1 + REVOKE.length);
        asked[data.length] = '\n';
        System.arraycopy(REVOKE, 0, asked, data.length + 1, REVOKE.length);
        return asked;
    }

    /**
     * The data of a node whose holder lets readers in.
     *
     * @param created the data that the node was created with
     * @param asked whether somebody has requested its release
     */
    public static byte[] share(byte[] created, boolean asked) {
        byte[] line = SHARED.getBytes(StandardCharsets.UTF_8);
        byte[] shared = Arrays.copyOf(created, created.length + line.length);
        System.arraycopy(line, 0, shared, created.length, line.length);
        return asked ? ask(shared) : shared;
    }

    /** The data that an application gives to a recipe may also have several lines. */
    private static boolean ours(byte[] data) {
        return of(data).leaseMillis() > 0;
    }
}
