package io.quarkiverse.lock.jpa.runtime;

/** How the database represents a lock. */
public enum JpaLockStrategy {
    /** A row that says until when it is held. Holding it needs no transaction and no connection. */
    LEASE,
    /** A row locked in the caller's transaction, and so until its end. */
    PESSIMISTIC
}
