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
 * {@code @Locked} where the lock lives in the transaction. Here the order is reversed: the transaction begins, then the inner
 * of the two interceptors takes the lock in it; the outer one only translates a failed commit.
 */
final class LocksInTransactions {

    /** The key under which the inner interceptor stores how the body ended: the lock's name, or the failure. */
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
                first.addSuppressed(failure); // the transaction could not succeed after that
                throw first;
            }
            // After the body has returned, only the end of the transaction can fail
            throw ended instanceof String name ? locks.commitFailed(name, failure) : failure;
        }
    }

    static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        String[] names = method.names(invocation.getParameters());
        boolean[] begun = new boolean[1]; // the body's own failure is not replaced
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

    /** Takes the names nested, in the order common to all callers. */
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
