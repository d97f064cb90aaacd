package io.quarkiverse.lock.runtime.config;

/**
 * What happens when a lock is taken while a transaction is already active, so that data read in it before may be older than the
 * lock.
 */
public enum ActiveTransaction {
    /** The lock belongs to the transaction, with a warning once per template. */
    WARN,
    /** The lock belongs to the transaction. */
    JOIN,
    /** The call fails with an {@link IllegalStateException}. */
    FAIL
}
