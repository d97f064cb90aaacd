package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

/** The transactions in which a {@link TransactionalBackend} takes locks: those of the current thread. */
public interface LockTransactions {

    /** Whether the current thread is in a transaction that has not ended, even if it can only be rolled back. */
    boolean active();

    /** Whether that transaction can still be committed. */
    boolean committable();

    /**
     * Whether the current transaction may hold something that others wait for in a database. Then it must not wait in this JVM,
     * where the database cannot see that two transactions wait for each other.
     */
    boolean mayHoldRows();

    /** The object that was {@linkplain #keep kept} with the current transaction. */
    @Nullable
    Object find(Object key);

    void keep(Object key, Object value);

    /**
     * Registers for notification of the current transaction's end.
     *
     * @throws IllegalStateException if it can only be rolled back
     */
    void register(Completion completion);

    void begin();

    /** @throws Exception if it was rolled back instead, or the outcome is unknown */
    void commit() throws Exception;

    void rollback();

    /** Notified of the end of a transaction. */
    interface Completion {

        /** Called directly before a commit, after what others do before it; an exception turns the commit into a rollback. */
        void beforeCommit();

        /** Called on any thread, perhaps one that ends transactions that take too long. */
        void ended(boolean committed);
    }
}
