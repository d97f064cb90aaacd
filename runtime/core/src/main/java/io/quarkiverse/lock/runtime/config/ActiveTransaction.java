package io.quarkiverse.lock.runtime.config;

/**
 * What happens when a lock is taken while a transaction is already active. Data read earlier in that transaction may be older
 * than the lock.
 */
public enum ActiveTransaction {
    /** The lock belongs to the transaction, with a warning once per template. */
    WARN,
    /** The lock belongs to the transaction. */
    JOIN,
    /** The call fails with an {@link IllegalStateException}. */
    FAIL
}
