package io.quarkiverse.lock.runtime.method;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** What a call ends with that does not get its lock: a failure, a skipped call's result, or what the fallback returns. */
public final class BusyOutcome {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private BusyOutcome() {
    }

    /** Whether a call that has not got its lock ends otherwise than with this failure. */
    public static boolean replaces(LockedMethod method, Throwable failure) {
        return failure instanceof LockBusyException && method.onBusy() != OnBusy.FAIL
                || failure instanceof ClosingException && method.onBusy() == OnBusy.SKIP;
    }

    /**
     * Of a call whose lock is not taken because the application is shutting down: what may be skipped is.
     *
     * @throws ClosingException if it may not
     */
    public static @Nullable Object closing(LockedMethod method, ClosingException closing) {
        if (method.onBusy() != OnBusy.SKIP) {
            throw closing;
        }
        LOG.infof("[%s] skipped: %s", method, closing.getMessage());
        return method.skipped();
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
    public static Uni<Object> uni(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, result -> Uni.createFrom().item(result), e -> Uni.createFrom().failure(e));
    }

    /** As {@link #of}, of a call that returns a {@code CompletionStage}. */
    public static CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, CompletableFuture::completedFuture, CompletableFuture::failedFuture);
    }

    /** As {@link #of}, of a call that returns a {@code Multi}. */
    public static Multi<Object> multi(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, result -> Multi.createFrom().empty(), e -> Multi.createFrom().failure(e));
    }

    /** What the fallback returns is of the type that is wanted; a skipped call's result and a failure are put into one. */
    @SuppressWarnings("unchecked")
    private static <T> T later(InvocationContext invocation, LockedMethod method, Throwable refusal,
            Function<@Nullable Object, T> skipped, Function<Exception, T> failed) {
        try {
            Object outcome = refusal instanceof ClosingException closing ? closing(method, closing)
                    : of(invocation, method, (LockBusyException) refusal);
            return method.onBusy() == OnBusy.SKIP ? skipped.apply(outcome) : (T) outcome;
        } catch (Exception e) {
            return failed.apply(e);
        }
    }
}
