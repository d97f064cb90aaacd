package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

/** The transactions that a {@link TransactionalBackend} puts locks into: those of the current thread. */
public interface LockTransactions {

    /** Whether the current thread is in a transaction that has not ended, even if it can only be rolled back. */
    boolean active();

    /** Whether that transaction can still be committed. */
    boolean committable();

    /**
     * Whether the current transaction may hold something that others wait for in a database. Then it must not wait in this JVM,
     * where the database does not see that two wait for each other.
     */
    boolean mayHoldRows();

    /** What was {@linkplain #keep kept} with the current transaction. */
    @Nullable
    Object find(Object key);

    void keep(Object key, Object value);

    /**
     * Has the end of the current transaction told.
     *
     * @throws IllegalStateException if it can only be rolled back
     */
    void register(Completion completion);

    void begin();

    /** @throws Exception if it was rolled back instead, or nobody knows */
    void commit() throws Exception;

    void rollback();

    /** Hears of the end of a transaction. */
    interface Completion {

        /** Directly before a commit, after what others do before it; what it throws makes it a rollback. */
        void beforeCommit();

        /** On any thread: one that gives up on transactions that take too long, maybe. */
        void ended(boolean committed);
    }
}
