package io.quarkiverse.lock.zookeeper.claim;

/** What is known about the creation of a node. */
enum Created {
    UNKNOWN,
    YES,
    NO_ROOT,
    NO_CONTAINER,
    NO_REPLY,
    REFUSED;

    /** Whether there certainly is no node. */
    boolean not() {
        return this == NO_ROOT || this == NO_CONTAINER || this == REFUSED;
    }
}
