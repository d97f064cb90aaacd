package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.WaitBudget;
import io.quarkiverse.lock.engine.news.ClosingException;
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
        boolean[] begun = new boolean[1]; // what the body itself fails with is not replaced
        try {
            Object result;
            try {
                result = inside(invocation, method, locks, names, 0,
                        new WaitBudget(method.engine().time(), method.settings()), begun);
            } catch (ClosingException closing) {
                if (begun[0]) {
                    throw closing;
                }
                result = BusyOutcome.closing(method, closing);
            }
            invocation.getContextData().put(ENDED, String.join(", ", names));
            return result;
        } catch (Exception failure) {
            invocation.getContextData().put(ENDED, failure);
            throw failure;
        }
    }

    /** One name inside the other, in the order that everybody keeps. */
    private static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks,
            String[] names, int taken, WaitBudget budget, boolean[] begun) throws Exception {
        return locks.call(names[taken], budget.left(), refused -> BusyOutcome.of(invocation, method, refused),
                taken + 1 == names.length ? () -> body(invocation, method, begun)
                        : () -> inside(invocation, method, locks, names, taken + 1, budget, begun));
    }

    private static @Nullable Object body(InvocationContext invocation, LockedMethod method, boolean[] begun) throws Exception {
        begun[0] = true;
        return LaterWork.body(invocation, method);
    }
}
