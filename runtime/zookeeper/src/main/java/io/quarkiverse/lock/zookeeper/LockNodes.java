package io.quarkiverse.lock.zookeeper;

import java.util.Set;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Feature;

/**
 * How lock nodes are named, and with that which of Curator's recipes on the same path they exclude and are excluded by. All who
 * lock a name have to agree on it: the two recipes do not exclude each other.
 */
public enum LockNodes {
    /** As {@code InterProcessReadWriteLock} does. */
    READ_WRITE("__WRIT__", "__READ__"),
    /** As {@code InterProcessMutex} does. */
    MUTEX("lock-", null);

    /**
     * What stands before the kind of a node that shares the lock with as many as the number after this allows. The rest of its
     * name is that of one who is alone: so Curator's recipes keep out of its way.
     */
    private static final String COUNTED = "slot-";
    private static final int MOST_DIGITS = 10;

    private final String exclusive;
    private final String shared;

    LockNodes(String exclusive, String shared) {
        this.exclusive = exclusive;
        this.shared = shared;
    }

    /** What locks with such nodes can do. */
    public Set<Feature> features() {
        return shared == null ? Set.of(Feature.ASYNC, Feature.LIMIT, Feature.AFTER_LOSS_DELAY)
                : Set.of(Feature.ASYNC, Feature.LIMIT, Feature.AFTER_LOSS_DELAY, Feature.SHARED);
    }

    /** What a node of this mode has between its id and its number. */
    String kind(LockMode mode) {
        String kind = mode == LockMode.SHARED ? shared : exclusive;
        if (kind == null) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.nodes=mutex has no shared locks; use read-write");
        }
        return kind;
    }

    /** Where the number begins in the name of a node; -1 if it is not of these nodes. */
    int numberAt(String child) {
        int at = after(child, exclusive);
        return at >= 0 || shared == null ? at : after(child, shared);
    }

    /** Whether a node with a number is of one who shares. */
    boolean shares(String child, int numberAt) {
        return shared != null && child.startsWith(shared, numberAt - shared.length());
    }

    /** How many may hold the lock together with a node with a number; 0 if it is not one that is counted. */
    int limit(String child, int numberAt) {
        int end = numberAt - exclusive.length() - 1;
        int begin = end;
        while (begin > 0 && child.charAt(begin - 1) >= '0' && child.charAt(begin - 1) <= '9') {
            begin--;
        }
        if (begin >= end || end - begin > MOST_DIGITS || !child.startsWith(COUNTED, begin - COUNTED.length())) {
            return 0;
        }
        return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(child, begin, end, 10));
    }

    /** What a node has before its kind. */
    static void appendLimit(StringBuilder to, int limit) {
        if (limit > 0) {
            to.append(COUNTED).append(limit).append('-');
        }
    }

    private static int after(String child, String kind) {
        int at = child.lastIndexOf(kind);
        return at < 0 ? -1 : at + kind.length();
    }
}
