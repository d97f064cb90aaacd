package io.quarkiverse.lock.runtime;

import io.smallrye.mutiny.Uni;

/** What the interceptors need to know of transactions that belong to a Vert.x context and not to a thread. */
interface ReactiveTransactions {

    /** Whether there is one on the current Vert.x context. */
    boolean active();

    /** Writes what the sessions of the current Vert.x context would write before they commit. */
    Uni<Void> flush();

    /** No transactions. */
    ReactiveTransactions NONE = new ReactiveTransactions() {
        @Override
        public boolean active() {
            return false;
        }

        @Override
        public Uni<Void> flush() {
            return Uni.createFrom().voidItem();
        }
    };
}
