package io.quarkiverse.lock.zookeeper;

/**
 * How lock nodes are named, and with that which of Curator's recipes on the same path they exclude and are excluded by. All who
 * lock a name have to agree on it: the two recipes do not exclude each other.
 */
public enum LockNodes {
    /** As {@code InterProcessReadWriteLock} does. */
    READ_WRITE,
    /** As {@code InterProcessMutex} does. */
    MUTEX
}
