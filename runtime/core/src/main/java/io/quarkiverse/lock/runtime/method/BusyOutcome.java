package io.quarkiverse.lock.runtime.method;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.engine.state.Hold;

/** What a call ends with that does not get its lock: a failure, a skipped call's result, or what the fallback returns. */
public final class BusyOutcome {

    private BusyOutcome() {
    }

    /** @throws Exception what the call fails with */
    public static @Nullable Object of(InvocationContext invocation, LockedMethod method, Hold refused) throws Exception {
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
}
