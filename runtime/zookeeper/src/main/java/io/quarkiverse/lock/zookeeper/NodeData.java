package io.quarkiverse.lock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What a lock node says of who made it, to people: the first line describes the JVM, the second has the lease in ms. A node
 * that one of Curator's recipes has made has an address and no second line. Whoever asks for the release of a node says so at
 * the end; Curator's {@code Revoker} leaves nothing else of it, and its recipes understand nothing else.
 */
record NodeData(String owner, long leaseMillis) {

    private static final byte[] REVOKE = "__REVOKE__".getBytes(StandardCharsets.UTF_8);

    static byte[] of(String owner, long leaseMillis) {
        return (owner.replace('\n', ' ') + '\n' + leaseMillis).getBytes(StandardCharsets.UTF_8);
    }

    static NodeData of(byte @Nullable [] data) {
        String text = data == null ? ""
                : new String(data, 0, asked(data) ? data.length - REVOKE.length : data.length,
                        StandardCharsets.UTF_8).stripTrailing();
        int end = text.indexOf('\n');
        if (end < 0) {
            return new NodeData(text.isBlank() ? "an unknown client" : text, 0);
        }
        try {
            return new NodeData(text.substring(0, end), Long.parseLong(text.substring(end + 1)));
        } catch (NumberFormatException e) {
            return new NodeData(text, 0);
        }
    }

    /** Whether somebody asks for the release of the node. */
    static boolean asked(byte @Nullable [] data) {
        return data != null && data.length >= REVOKE.length
                && Arrays.equals(data, data.length - REVOKE.length, data.length, REVOKE, 0, REVOKE.length);
    }

    /** The same data with that request: who made the node stays known, unless it is one of Curator's. */
    static byte[] ask(byte @Nullable [] data) {
        if (data == null || !ours(data)) {
            return REVOKE;
        }
        byte[] asked = Arrays.copyOf(data, data.length + 1 + REVOKE.length);
        asked[data.length] = '\n';
        System.arraycopy(REVOKE, 0, asked, data.length + 1, REVOKE.length);
        return asked;
    }

    /** What a recipe is told to put into its nodes may have lines as well. */
    private static boolean ours(byte[] data) {
        return of(data).leaseMillis() > 0;
    }

    Duration lease() {
        return Duration.ofMillis(leaseMillis);
    }
}
