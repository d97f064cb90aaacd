package io.quarkiverse.lock.runtime.transaction;

import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.state.LockHold;

/** What the interceptors need to know of transactions; without a transaction manager in the application there are none. */
public interface Transactions {

    /** The transaction that is active on the current thread; {@code null} if there is none. */
    @Nullable
    Current current();

    /** Whether the called method never runs in the active transaction: it suspends that, or is refused because of it. */
    boolean suspendedIn(InvocationContext call);

    /**
     * Ends the use of a bound hold by its transaction, if that has completed: after a rollback, the turn of other
     * synchronizations may come before that of the hold. Returns whether the transaction no longer uses it.
     */
    boolean leaveCompleted(LockHold hold);

    /** Whether this is the failure of a refused commit. */
    boolean isRollback(Throwable failure);

    /** An active transaction. */
    interface Current {

        /** The live hold of this name that belongs to the transaction; {@code null} if there is none. */
        @Nullable
        LockHold boundHold(LockEngine engine, String name);

        /** @throws IllegalStateException if the transaction can only be rolled back, so that no hold can be bound to it */
        void refuseIfDoomed(String name);

        /**
         * Makes the transaction a user of the hold until it has completed, and refuses its commit if the hold is lost by then.
         *
         * @throws IllegalStateException if the transaction can only be rolled back; the hold is not bound then
         */
        void bind(LockEngine engine, LockHold hold);

        /**
         * Refuses the commit if the hold is lost by then, but not if it has been given back. Any further call for the same hold
         * only adds its {@code mayAsk}.
         *
         * @param mayAsk whether the committing thread may wait for the backend if the hold only needs to be confirmed; it never
         *        does if any call says no
         */
        void check(LockEngine engine, LockHold hold, boolean mayAsk);

        /**
         * Runs the call in the transaction, on the current thread, which may be another than the one it was active on. What is
         * active there is suspended meanwhile.
         *
         * @throws IllegalStateException if the transaction cannot be resumed
         */
        <T> T call(Supplier<T> call);
    }

    /** No transactions. */
    Transactions NONE = new Transactions() {
        @Override
        public @Nullable Current current() {
            return null;
        }

        @Override
        public boolean suspendedIn(InvocationContext call) {
            return false;
        }

        @Override
        public boolean leaveCompleted(LockHold hold) {
            return true;
        }

        @Override
        public boolean isRollback(Throwable failure) {
            return false;
        }
    };
}
