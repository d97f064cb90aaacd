package io.quarkiverse.lock.runtime.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.reactive.Stages;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.OuterTransaction;
import io.smallrye.mutiny.Context;

/** Calls of {@code @Locked} methods that return a {@code CompletionStage}: the lock is held until the stage has completed. */
final class StageCalls {

    private final TransactionsAround around;

    StageCalls(TransactionsAround around) {
        this.around = around;
    }

    CompletionStage<Object> call(InvocationContext invocation, LockedMethod method) {
        NamesOfCall names = around.names(invocation, method, method.engine().scopes(), Context.empty());
        if (method.engine().threads().blockingForbidden()) {
            OuterTransaction outer = around.outerTransaction(method, Context.empty(), names);
            return afterWait(method.engine().stages().acquire(names.names(), method.settings(), names.known()), invocation,
                    method, held -> begin(names, held, method, () -> outer == null ? run(invocation, method, held)
                            : inside(outer, invocation, method, held)));
        }
        around.refuseToWaitForItself(names, method);
        Held held;
        try {
            held = method.engine().acquire().take(names.names(), method.settings(), names.known());
        } catch (ClosingException closing) {
            return instead(invocation, method, closing);
        }
        LockHold refused = held.refusedHold();
        if (refused != null) {
            return instead(invocation, method, method.engine().busy(refused));
        }
        return begin(names, held, method, () -> run(invocation, method, held));
    }

    /** What fails before the stage has the holds gives them back. */
    private static CompletionStage<Object> begin(NamesOfCall names, Held held, LockedMethod method,
            Supplier<CompletionStage<Object>> stage) {
        boolean[] begun = new boolean[1];
        try {
            return names.inTransaction(() -> {
                names.bind(held);
                begun[0] = true;
                return stage.get();
            });
        } catch (RuntimeException | Error failure) {
            if (!begun[0]) {
                method.engine().release().giveBack(held);
            }
            throw failure;
        }
    }

    private static CompletionStage<Object> instead(InvocationContext invocation, LockedMethod method, Throwable refusal) {
        return Stages.unwrapped(BusyOutcome.stage(invocation, method, refusal), new CompletableFuture<>());
    }

    private static CompletionStage<Object> afterWait(CompletionStage<Held> wait, InvocationContext invocation,
            LockedMethod method, Function<Held, CompletionStage<Object>> then) {
        CompletableFuture<Object> result = wait.toCompletableFuture().newIncompleteFuture(); // with the caller's contexts
        return Stages.unwrapped(wait.handle((held, failure) -> {
            if (held != null) {
                return then.apply(held);
            }
            return BusyOutcome.replaces(method, failure) ? BusyOutcome.stage(invocation, method, failure)
                    : CompletableFuture.<Object> failedFuture(failure);
        }).thenCompose(stage -> stage), result);
    }

    /** Hibernate Reactive transactions are only ever open on event loops. */
    private CompletionStage<Object> inside(OuterTransaction outer, InvocationContext invocation, LockedMethod method,
            Held held) {
        outer.under(held);
        return method.engine().stages().runPatiently(held, () -> stageOf(invocation, method, held),
                item -> LaterWork.asItem(item, method)).whenComplete((result, failure) -> outer.callEnded(failure));
    }

    private CompletionStage<Object> run(InvocationContext invocation, LockedMethod method, Held held) {
        return method.engine().stages().run(held, () -> stageOf(invocation, method, held),
                item -> LaterWork.asItem(item, method));
    }

    @SuppressWarnings("unchecked")
    private @Nullable CompletionStage<Object> stageOf(InvocationContext invocation, LockedMethod method, Held held)
            throws Exception {
        InvocationHolds.put(invocation, method, held);
        CompletionStage<Object> stage = (CompletionStage<Object>) invocation.proceed();
        return stage == null || !method.transactional() ? stage
                : stage.exceptionallyCompose(failure -> CompletableFuture.failedFuture(around.told(failure, held, method)));
    }
}
