package io.quarkiverse.lock.runtime;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.TransactionalLocks;

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
        String name = method.name(invocation.getParameters());
        try {
            Object result = locks.call(name, method.settings(), refused -> LockedInterceptor.skipped(refused, method),
                    invocation::proceed);
            invocation.getContextData().put(ENDED, name);
            return result;
        } catch (Exception failure) {
            invocation.getContextData().put(ENDED, failure);
            throw failure;
        }
    }
}
