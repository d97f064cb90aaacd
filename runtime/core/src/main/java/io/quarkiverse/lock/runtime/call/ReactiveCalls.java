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
import io.smallrye.mutiny.Uni;

/**
 * Calls of {@code @Locked} methods that return a {@code Uni} or a {@code Multi}. Each subscription takes the lock, calls the
 * method, and holds the lock until the result has ended or is cancelled.
 */
final class ReactiveCalls {

    private final TransactionsAround around;

    ReactiveCalls(TransactionsAround around) {
        this.around = around;
    }

    Uni<Object> uni(InvocationContext invocation, LockedMethod method) {
        if (method.onBusy() == OnBusy.FAIL) {
            return lockedUni(invocation, method, null);
        }
        return Uni.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean(); // the body's own failure is not replaced
            return lockedUni(invocation, method, begun)
                    .onFailure(failure -> !begun.get() && BusyOutcome.replaces(method, failure))
                    .recoverWithUni(refusal -> BusyOutcome.uni(invocation, method, refusal));
        });
    }

    private Uni<Object> lockedUni(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun) {
        return Uni.createFrom().context(context -> {
            Call call = new Call(invocation, method, begun, context);
            Uni<Object> locked = method.engine().pipelines().locked(call.names.names(), method.settings(), call.names.known(),
                    (held, pipeline) -> call.names.inTransaction(() -> {
                        call.begin(held);
                        pipeline.tellFailuresAs(failure -> around.told(failure, held, method));
                        if (call.outer != null || method.reactiveTransaction()) {
                            pipeline.beginPatientBody(); // a transaction cannot be cancelled midway
                        }
                        return InvocationPipeline
                                .uni(() -> InvocationPipeline.proceed(invocation, method, pipeline));
                    }), item -> LaterWork.asItem(item, method));
            return call.outer == null ? locked
                    : locked.onTermination()
                            .invoke((item, failure, cancelled) -> call.outer.callEnded(failure));
        });
    }

    Multi<Object> multi(InvocationContext invocation, LockedMethod method) {
        if (method.onBusy() == OnBusy.FAIL) {
            return lockedMulti(invocation, method, null);
        }
        return Multi.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean();
            return lockedMulti(invocation, method, begun)
                    .onFailure(failure -> !begun.get() && BusyOutcome.replaces(method, failure))
                    .recoverWithMulti(refusal -> instead(invocation, method, refusal));
        });
    }

    private Multi<Object> lockedMulti(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun) {
        return Multi.createFrom().context(context -> {
            Call call = new Call(invocation, method, begun, context);
            Multi<Object> locked = method.engine().pipelines().lockedMulti(call.names.names(), method.settings(),
                    call.names.known(), (held, pipeline) -> call.names.inTransaction(() -> {
                        call.begin(held);
                        pipeline.tellFailuresAs(failure -> around.told(failure, held, method));
                        if (call.outer != null) {
                            pipeline.beginPatientBody();
                        }
                        return items(invocation, method, pipeline);
                    }));
            return call.outer == null ? locked
                    : locked.onTermination()
                            .invoke((failure, cancelled) -> call.outer.callEnded(failure));
        });
    }

    private static Multi<Object> items(InvocationContext invocation, LockedMethod method, Pipelines.Running pipeline) {
        try {
            return LaterWork.items(InvocationPipeline.proceed(invocation, method, pipeline), method);
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }

    private static Multi<Object> instead(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        try {
            return LaterWork.items(BusyOutcome.multi(invocation, method, refusal), method);
        } catch (IllegalStateException e) {
            return Multi.createFrom().failure(e);
        }
    }

    /** What each subscription, to a {@code Uni} or a {@code Multi}, finds around it. */
    private final class Call {

        private final @Nullable AtomicBoolean begun;
        private final NamesOfCall names;
        private final @Nullable OuterTransaction outer;

        /** @param begun records whether the method was called; {@code null} if nobody asks */
        Call(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun, Context context) {
            this.begun = begun;
            this.names = around.names(invocation, method, null, context);
            this.outer = around.outerTransaction(method, context, names);
        }

        /** The locks are held, and the method is called next. */
        void begin(Held held) {
            names.bind(held);
            if (begun != null) {
                begun.set(true);
            }
            if (outer != null) {
                outer.under(held);
            }
        }
    }
}
