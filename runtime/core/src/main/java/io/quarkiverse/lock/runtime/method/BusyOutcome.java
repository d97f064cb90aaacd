package io.quarkiverse.lock.runtime.method;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

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
    public static Uni<Object> uni(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        return later(invocation, method, busy, result -> Uni.createFrom().item(result), e -> Uni.createFrom().failure(e));
    }

    /** As {@link #of}, of a call that returns a {@code CompletionStage}. */
    public static CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        return later(invocation, method, busy, CompletableFuture::completedFuture, CompletableFuture::failedFuture);
    }

    /** As {@link #of}, of a call that returns a {@code Multi}. */
    public static Multi<Object> multi(InvocationContext invocation, LockedMethod method, LockBusyException busy) {
        return later(invocation, method, busy, result -> Multi.createFrom().empty(), e -> Multi.createFrom().failure(e));
    }

    /** What the fallback returns is of the type that is wanted; a skipped call's result and a failure are put into one. */
    @SuppressWarnings("unchecked")
    private static <T> T later(InvocationContext invocation, LockedMethod method, LockBusyException busy,
            Function<@Nullable Object, T> skipped, Function<Exception, T> failed) {
        try {
            Object outcome = of(invocation, method, busy);
            return method.onBusy() == OnBusy.SKIP ? skipped.apply(outcome) : (T) outcome;
        } catch (Exception e) {
            return failed.apply(e);
        }
    }
}
