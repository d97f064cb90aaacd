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

/** The outcome of a call that does not get its lock: a failure, the result of a skipped call, or that of the fallback. */
public final class BusyOutcome {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private BusyOutcome() {
    }

    /** Whether a call that does not get its lock ends in another way than with this failure. */
    public static boolean replaces(LockedMethod method, Throwable failure) {
        return failure instanceof LockBusyException && method.onBusy() != OnBusy.FAIL
                || failure instanceof ClosingException && method.onBusy() == OnBusy.SKIP;
    }

    /**
     * For a call whose lock is not taken because the application is shutting down: skips the call if allowed.
     *
     * @throws ClosingException if the call may not be skipped
     */
    public static @Nullable Object closing(LockedMethod method, ClosingException closing) {
        if (method.onBusy() != OnBusy.SKIP) {
            throw closing;
        }
        LOG.infof("[%s] skipped: %s", method, closing.getMessage());
        return method.skipped();
    }

    /** @throws Exception the failure of the call */
    public static @Nullable Object of(InvocationContext invocation, LockedMethod method, LockHold refused) throws Exception {
        return method.onBusy() == OnBusy.SKIP ? method.skipped()
                : of(invocation, method, method.engine().busy(refused));
    }

    /** @throws Exception the failure of the call */
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

    /** Like {@link #of}, for a call that returns a {@code Uni}. */
    public static Uni<Object> uni(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, result -> Uni.createFrom().item(result), e -> Uni.createFrom().failure(e));
    }

    /** Like {@link #of}, for a call that returns a {@code CompletionStage}. */
    public static CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, CompletableFuture::completedFuture, CompletableFuture::failedFuture);
    }

    /** Like {@link #of}, for a call that returns a {@code Multi}. */
    public static Multi<Object> multi(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return later(invocation, method, refusal, result -> Multi.createFrom().empty(), e -> Multi.createFrom().failure(e));
    }

    /** The fallback's result already has the required type; a skipped call's result and a failure are wrapped into it. */
    @SuppressWarnings("unchecked")
    private static <T> T later(InvocationContext invocation, LockedMethod method, Throwable refusal,
            Function<@Nullable Object, T> skipped, Function<Exception, T> failed) {
        try {
            Object outcome = refusal instanceof ClosingException closing ? closing(method, closing)
                    : of(invocation, method, (LockBusyException) refusal);
            if (method.onBusy() == OnBusy.SKIP) {
                return skipped.apply(outcome);
            }
            if (outcome == null) {
                throw new IllegalStateException("Fallback method " + method.fallback() + " of " + method
                        + ", whose lock is busy, returned null: it must return what the method returns", refusal);
            }
            return (T) outcome;
        } catch (Exception e) {
            return failed.apply(e);
        }
    }
}
