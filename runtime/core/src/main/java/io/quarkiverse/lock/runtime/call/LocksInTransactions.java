package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.WaitBudget;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.Transactions;

/**
 * {@code @Locked} where the lock lives in the transaction. Here the order is the other way round: the transaction begins, then
 * the lock is taken in it, by the inner of the two interceptors; the outer one only says what a failed commit means.
 */
final class LocksInTransactions {

    /** Where the inner interceptor leaves how the body has ended: the lock's name, or what it failed with. */
    private static final String ENDED = "io.quarkiverse.lock.ended";

    private LocksInTransactions() {
    }

    static @Nullable Object around(InvocationContext invocation, TransactionalLocks locks, Transactions transactions)
            throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception failure) {
            Object ended = invocation.getContextData().get(ENDED);
            if (ended instanceof Exception first && first != failure && transactions.isRollback(failure)) {
                first.addSuppressed(failure); // the transaction could not end well after that
                throw first;
            }
            // After the body has returned only the end of the transaction can fail
            throw ended instanceof String name ? locks.commitFailed(name, failure) : failure;
        }
    }

    static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        String[] names = method.names(invocation.getParameters());
        try {
            Object result = inside(invocation, method, locks, names, 0,
                    new WaitBudget(method.engine().time(), method.settings()));
            invocation.getContextData().put(ENDED, String.join(", ", names));
            return result;
        } catch (Exception failure) {
            invocation.getContextData().put(ENDED, failure);
            throw failure;
        }
    }

    /** One name inside the other, in the order that everybody keeps. */
    private static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks,
            String[] names, int taken, WaitBudget budget) throws Exception {
        return locks.call(names[taken], budget.left(), refused -> BusyOutcome.of(invocation, method, refused),
                taken + 1 == names.length ? () -> LaterWork.body(invocation, method)
                        : () -> inside(invocation, method, locks, names, taken + 1, budget));
    }
}
