package io.quarkiverse.lock.runtime.method;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.lock.LockBusyException;
import io.smallrye.mutiny.Uni;

/** The {@code Uni} that stands in for one whose lock is busy. */
public final class UniFallback {

    private UniFallback() {
    }

    @SuppressWarnings("unchecked")
    public static Uni<Object> of(Fallback fallback, InvocationContext invocation, LockBusyException busy) {
        try {
            return (Uni<Object>) fallback.call(invocation.getTarget(), invocation.getParameters(), busy);
        } catch (Exception e) {
            return Uni.createFrom().failure(e);
        }
    }
}
