package io.quarkiverse.lock.runtime.method;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** What a call ends with that does not get its lock: a failure, a skipped call's result, or what the fallback returns. */
public final class BusyOutcome {

    private BusyOutcome() {
    }

    /** @throws Exception what the call fails with */
    public static @Nullable Object of(InvocationContext invocation, LockedMethod method, LockHold refused) throws Exception {
        return method.onBusy() == OnBusy.SKIP ? method.skipped()
                : of(invocation, method, method.engine().busy(refused));
    }

    /** @throws Exception what the call fails with */
    public static @Nullable Object of(InvocationContext invocation, LockedMethod method, LockBusyException busy)
            throws Exception {
        if (method.onBusy() == OnBusy.SKIP) {
            return method.skipped();
        }
        Fallback fallback = method.fallback();
        if (fallback == null) {
            throw busy;
        }
        return fallback.call(invocation.getTarget(), invocation.getParameters(), busy);
    }

    /** As {@link #of}, of a call that returns a {@code Uni}. */
    @SuppressWarnings("unchecked")
    public static Uni<Object> uni(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        try {
            Object outcome = of(invocation, method, busy);
            return method.onBusy() == OnBusy.SKIP ? Uni.createFrom().item(outcome) : (Uni<Object>) outcome;
        } catch (Exception e) {
            return Uni.createFrom().failure(e);
        }
    }

    /** As {@link #of}, of a call that returns a {@code CompletionStage}. */
    @SuppressWarnings("unchecked")
    public static CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        try {
            Object outcome = of(invocation, method, busy);
            return method.onBusy() == OnBusy.SKIP ? CompletableFuture.completedFuture(outcome)
                    : (CompletionStage<Object>) outcome;
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** As {@link #of}, of a call that returns a {@code Multi}. */
    @SuppressWarnings("unchecked")
    public static Multi<Object> multi(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        try {
            Object outcome = of(invocation, method, busy);
            return method.onBusy() == OnBusy.SKIP ? Multi.createFrom().empty() : (Multi<Object>) outcome;
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }
}
