package io.quarkiverse.lock.runtime;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.TransactionalLocks;

/**
 * {@code @Locked} where the lock lives in the transaction. Here the order is the other way round: the transaction begins, then
 * the lock is taken in it, by the inner of the two interceptors; the outer one only says what a failed commit means.
 */
final class LocksInTransactions {

    /** Where the inner interceptor leaves the name of the lock when the body has not failed. */
    private static final String RETURNED = "io.quarkiverse.lock.returned";

    private LocksInTransactions() {
    }

    static @Nullable Object around(InvocationContext invocation, TransactionalLocks locks) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception failure) {
            // After the body has returned only the end of the transaction can fail
            String name = (String) invocation.getContextData().get(RETURNED);
            throw name == null ? failure : locks.commitFailed(name, failure);
        }
    }

    static @Nullable Object inside(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        String name = method.name(invocation.getParameters());
        Object result = locks.call(name, method.settings(), refused -> LockedInterceptor.skipped(refused, method),
                invocation::proceed);
        invocation.getContextData().put(RETURNED, name);
        return result;
    }
}
