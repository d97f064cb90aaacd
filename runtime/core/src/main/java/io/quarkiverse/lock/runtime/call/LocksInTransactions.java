package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.acquire.WaitBudget;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.Transactions;

/**
 * {@code @Locked} where the lock lives in the transaction. Here the order is reversed: the transaction begins, then the inner
 * of the two interceptors takes the lock in it; the outer one only translates a failed commit.
 */
final class LocksInTransactions {

    /** The key under which the inner interceptor stores its {@link Ended}. */
    private static final String ENDED = "io.quarkiverse.lock.ended";

    /**
     * How it ended inside the transaction.
     *
     * @param begun whether the body had begun
     */
    private record Ended(String names, boolean begun, @Nullable Exception failure) {
    }

    private LocksInTransactions() {
    }

    static @Nullable Object around(InvocationContext invocation, TransactionalLocks locks, Transactions transactions)
            throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception failure) {
            Ended ended = (Ended) invocation.getContextData().get(ENDED);
            if (ended == null) {
                throw failure; // no transaction has begun
            }
            Exception first = ended.failure;
            if (first == null) {
                throw locks.commitFailed(ended.names, failure); // only the end of the transaction can fail by then
            }
            if (first == failure || !transactions.isRollback(failure)) {
                throw failure;
            }
            if (!ended.begun || first instanceof LockLostException) {
                first.addSuppressed(failure); // the transaction could not succeed after that
                throw first;
            }
            // After some failures, a transaction is committed: alone, such a one would tell of a commit that was refused
            Exception refused = locks.commitFailed(ended.names, failure);
            refused.addSuppressed(first);
            throw refused;
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
            ended(invocation, names, begun, null);
            return result;
        } catch (Exception failure) {
            ended(invocation, names, begun, failure);
            throw failure;
        }
    }

    private static void ended(InvocationContext invocation, String[] names, boolean[] begun, @Nullable Exception failure) {
        invocation.getContextData().put(ENDED, new Ended(String.join(", ", names), begun[0], failure));
    }

    /** Takes the names nested, in the order common to all callers. */
    private static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks,
            String[] names, int taken, WaitBudget budget, boolean[] begun) throws Exception {
        return locks.call(names[taken], budget.left(), refused -> BusyOutcome.of(invocation, method, refused),
                taken + 1 == names.length ? () -> body(invocation, method, names, begun)
                        : () -> inside(invocation, method, locks, names, taken + 1, budget, begun));
    }

    private static @Nullable Object body(InvocationContext invocation, LockedMethod method, String[] names, boolean[] begun)
            throws Exception {
        begun[0] = true;
        if (names.length == 1) {
            return LaterWork.body(invocation, method);
        }
        Scopes scopes = method.engine().scopes();
        Holds holds = new Holds(names.length);
        for (String name : names) {
            holds.add(scopes.innermost(name));
        }
        return scopes.together(holds, () -> LaterWork.body(invocation, method));
    }
}
