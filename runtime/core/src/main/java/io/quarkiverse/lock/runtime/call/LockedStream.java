package io.quarkiverse.lock.runtime.call;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.OuterTransaction;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Multi;

/**
 * One call of a {@code @Locked} method that returns a {@code Multi}. Each subscription takes the lock, calls the method, and
 * holds the lock until the items have ended or nobody wants them any more.
 */
final class LockedStream {

    private final TransactionsAround around;
    private final InvocationContext invocation;
    private final LockedMethod method;

    LockedStream(TransactionsAround around, InvocationContext invocation, LockedMethod method) {
        this.around = around;
        this.invocation = invocation;
        this.method = method;
    }

    Multi<Object> multi() {
        if (method.onBusy() == OnBusy.FAIL) {
            return unreplaced(null);
        }
        return Multi.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean(); // what the body itself fails with is not replaced
            return unreplaced(begun)
                    .onFailure(failure -> !begun.get() && BusyOutcome.replaces(method, failure))
                    .recoverWithMulti(refusal -> BusyOutcome.multi(invocation, method, refusal));
        });
    }

    private Multi<Object> unreplaced(@Nullable AtomicBoolean begun) {
        return Multi.createFrom().context(context -> locked(begun, context));
    }

    private Multi<Object> locked(@Nullable AtomicBoolean begun, Context context) {
        NamesOfCall names = around.names(invocation, method, null);
        OuterTransaction outer = around.outerTransaction(method, context, names);
        return inside(outer, method.engine().pipelines().lockedMulti(names.names(), method.settings(), names.known(),
                (held, pipeline) -> {
                    names.bind(held);
                    return body(held, pipeline, begun, outer);
                }));
    }

    private static Multi<Object> inside(@Nullable OuterTransaction outer, Multi<Object> call) {
        return outer == null ? call : call.onTermination().invoke(outer::callEnded);
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> body(Held held, Pipelines.Running pipeline, @Nullable AtomicBoolean begun,
            @Nullable OuterTransaction outer) {
        if (outer != null) {
            outer.under(held);
        }
        InvocationPipeline.keep(invocation, method, pipeline);
        if (begun != null) {
            begun.set(true);
        }
        try {
            return (Multi<Object>) invocation.proceed();
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }
}
