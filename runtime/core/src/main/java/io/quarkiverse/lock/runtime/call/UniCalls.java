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
import io.smallrye.mutiny.Uni;

/**
 * Calls of {@code @Locked} methods that return a {@code Uni}. Each subscription takes the lock, calls the method, and holds the
 * lock until that {@code Uni} has ended.
 */
final class UniCalls {

    private final TransactionsAround around;

    UniCalls(TransactionsAround around) {
        this.around = around;
    }

    Uni<Object> call(InvocationContext invocation, LockedMethod method) {
        if (method.onBusy() == OnBusy.FAIL) {
            return unreplaced(invocation, method, null);
        }
        return Uni.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean(); // what the body itself fails with is not replaced
            return unreplaced(invocation, method, begun)
                    .onFailure(failure -> !begun.get() && BusyOutcome.replaces(method, failure))
                    .recoverWithUni(refusal -> BusyOutcome.uni(invocation, method, refusal));
        });
    }

    private Uni<Object> unreplaced(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun) {
        return Uni.createFrom().context(context -> locked(invocation, method, begun, context));
    }

    private Uni<Object> locked(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun,
            Context context) {
        NamesOfCall names = around.names(invocation, method, null);
        OuterTransaction outer = around.outerTransaction(method, context, names);
        return inside(outer, method.engine().pipelines().locked(names.names(), method.settings(), names.known(),
                (held, pipeline) -> {
                    names.bind(held);
                    return body(invocation, method, held, pipeline, begun, outer);
                }));
    }

    private static Uni<Object> inside(@Nullable OuterTransaction outer, Uni<Object> call) {
        return outer == null ? call : call.onTermination().invoke(outer::callEnded);
    }

    private static Uni<Object> body(InvocationContext invocation, LockedMethod method, Held held, Pipelines.Running pipeline,
            @Nullable AtomicBoolean begun, @Nullable OuterTransaction outer) {
        InvocationPipeline.keep(invocation, method, pipeline);
        if (begun != null) {
            begun.set(true);
        }
        if (outer != null) {
            outer.under(held);
        }
        if (outer != null || method.reactiveTransaction()) {
            pipeline.beginPatientBody(); // a transaction cannot be cancelled in its midst
        }
        return InvocationPipeline.proceed(invocation);
    }
}
