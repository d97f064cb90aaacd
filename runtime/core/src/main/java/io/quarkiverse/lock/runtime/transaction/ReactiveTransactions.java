package io.quarkiverse.lock.runtime.transaction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.smallrye.mutiny.Uni;

/** What the interceptors need to know of transactions that belong to a Vert.x context and not to a thread. */
public interface ReactiveTransactions {

    /** The open transaction of the current Vert.x context; {@code null} if there is none. */
    @Nullable
    Current current();

    /**
     * Writes what the sessions of the current Vert.x context would write before they commit; fails with the loss for which one
     * of their transactions can only be rolled back.
     */
    Uni<Void> flush();

    /** An open transaction, or those of several persistence units. */
    interface Current {

        /** From now on, only a rollback can end it. Can be called from any thread. */
        void rollBackOnly(LockLostException loss);
    }

    /** No transactions. */
    ReactiveTransactions NONE = new ReactiveTransactions() {
        @Override
        public @Nullable Current current() {
            return null;
        }

        @Override
        public Uni<Void> flush() {
            return Uni.createFrom().voidItem();
        }
    };
}
