package io.quarkiverse.lock.zookeeper.nodes;

import java.util.Set;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Feature;

/**
 * How lock nodes are named, which decides which of Curator's recipes on the same path they exclude. All clients that lock a
 * name must use the same naming: the two recipes do not exclude each other.
 */
public enum LockNodes {
    /** As {@code InterProcessReadWriteLock} does. */
    READ_WRITE("__WRIT__", "__READ__"),
    /** As {@code InterProcessMutex} does. */
    MUTEX("lock-", null);

    /**
     * Marks a node with a limit; the limit follows. The rest of the name is that of an exclusive node, so Curator's recipes
     * wait for it.
     */
    private static final String COUNTED = "slot-";
    /** Precedes that if the JVM may not write its node, and so cannot tell the next one when it gets in. */
    private static final String QUIET = "quiet-";
    private static final int MAX_DIGITS = 10;

    private final String exclusive;
    private final String shared;

    LockNodes(String exclusive, String shared) {
        this.exclusive = exclusive;
        this.shared = shared;
    }

    /** What locks with such nodes can do. */
    public Set<Feature> features() {
        return shared == null
                ? Set.of(Feature.ASYNC, Feature.LIMIT, Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.LIST)
                : Set.of(Feature.ASYNC, Feature.LIMIT, Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.LIST,
                        Feature.SHARED,
                        Feature.DOWNGRADE);
    }

    /** The part of a node's name between its id and its number. */
    String kind(LockMode mode) {
        String kind = mode == LockMode.SHARED ? shared : exclusive;
        if (kind == null) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.nodes=mutex has no shared locks; use read-write");
        }
        return kind;
    }

    /** The index at which the number begins in the name of a node; -1 if the name is of another kind. */
    int numberAt(String child) {
        int at = after(child, exclusive);
        return at >= 0 || shared == null ? at : after(child, shared);
    }

    /** Whether a node with a number is a reader's. */
    boolean shares(String child, int numberAt) {
        return shared != null && child.startsWith(shared, numberAt - shared.length());
    }

    /** The limit of a node with a number; 0 if it has none. */
    int limit(String child, int numberAt) {
        int end = numberAt - exclusive.length() - 1;
        int begin = end;
        while (begin > 0 && child.charAt(begin - 1) >= '0' && child.charAt(begin - 1) <= '9') {
            begin--;
        }
        if (begin >= end || end - begin > MAX_DIGITS || !child.startsWith(COUNTED, begin - COUNTED.length())) {
            return 0;
        }
        return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(child, begin, end, 10));
    }

    /** Whether a node has a limit and does not tell the next one when it gets in. */
    boolean quiet(String child, int numberAt) {
        int counted = child.lastIndexOf(COUNTED, numberAt - exclusive.length());
        return limit(child, numberAt) > 0 && child.startsWith(QUIET, counted - QUIET.length());
    }

    /** Appends the part of a node's name that precedes its kind. */
    static void appendLimit(StringBuilder to, int limit, boolean quiet) {
        to.append(quiet ? QUIET : "").append(COUNTED).append(limit).append('-');
    }

    private static int after(String child, String kind) {
        int at = child.lastIndexOf(kind);
        return at < 0 ? -1 : at + kind.length();
    }
}
