package io.quarkiverse.lock.jpa.runtime;

/** What a lock in the database is. */
public enum JpaLockStrategy {
    /** A row that says until when it is held. It needs no transaction and no connection while it is held. */
    LEASE,
    /** A row that is locked in the caller's transaction, and so until that ends. */
    PESSIMISTIC
}
