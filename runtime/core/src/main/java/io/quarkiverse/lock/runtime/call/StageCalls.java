package io.quarkiverse.lock.runtime.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.OuterTransaction;
import io.quarkiverse.lock.runtime.transaction.Transactions;
import io.smallrye.mutiny.Context;

/** Calls of {@code @Locked} methods that return a {@code CompletionStage}: the lock is held until that has completed. */
final class StageCalls {

    private final TransactionsAround around;

    StageCalls(TransactionsAround around) {
        this.around = around;
    }

    CompletionStage<Object> one(InvocationContext invocation, LockedMethod method) {
        String name = method.name(invocation.getParameters());
        Scopes scopes = method.engine().scopes();
        LockHold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null && enclosing.enter()) {
            return run(invocation, method, enclosing);
        }
        Transactions.Current transaction = around.current();
        LockHold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return run(invocation, method, bound);
        }
        around.lookAt(transaction, method, name);
        if (method.engine().threads().blockingForbidden()) {
            OuterTransaction outer = around.outerTransaction(method, Context.empty(), name);
            return afterWait(method.engine().stages().acquire(new String[] { name }, method.settings(), null), invocation,
                    method,
                    held -> {
                        TransactionsAround.bind(transaction, held.get(0), method, null);
                        return inside(outer, held, run(invocation, method, held));
                    });
        }
        LockHold hold = method.engine().acquire().tryAcquire(name, method.settings());
        if (hold.refused()) {
            return BusyOutcome.stage(invocation, method, method.engine().busy(hold));
        }
        TransactionsAround.bind(transaction, hold, method, null);
        return run(invocation, method, hold);
    }

    CompletionStage<Object> several(InvocationContext invocation, LockedMethod method) {
        NamesOfCall several = around.names(invocation, method, method.engine().scopes());
        if (method.engine().threads().blockingForbidden()) {
            OuterTransaction outer = around.outerTransaction(method, Context.empty(), several.names());
            return afterWait(method.engine().stages().acquire(several.names(), method.settings(), several.known()), invocation,
                    method, held -> {
                        several.bind(held);
                        return inside(outer, held, run(invocation, method, held));
                    });
        }
        Held held = method.engine().acquire().take(several.names(), method.settings(), several.known());
        LockHold refused = held.refusedHold();
        if (refused != null) {
            return BusyOutcome.stage(invocation, method, method.engine().busy(refused));
        }
        several.bind(held);
        return run(invocation, method, held);
    }

    private static CompletionStage<Object> afterWait(CompletionStage<Held> wait, InvocationContext invocation,
            LockedMethod method, Function<Held, CompletionStage<Object>> then) {
        return wait.handle((held, failure) -> {
            if (held != null) {
                return then.apply(held);
            }
            return failure instanceof LockBusyException busy ? BusyOutcome.stage(invocation, method, busy)
                    : CompletableFuture.<Object> failedFuture(failure);
        }).thenCompose(stage -> stage);
    }

    /** Those of Hibernate Reactive are open on event loops alone. */
    private static CompletionStage<Object> inside(@Nullable OuterTransaction outer, Held held, CompletionStage<Object> stage) {
        if (outer == null) {
            return stage;
        }
        outer.under(held);
        return stage.whenComplete((result, failure) -> outer.callEnded());
    }

    private static CompletionStage<Object> run(InvocationContext invocation, LockedMethod method, Held held) {
        return method.engine().stages().run(held, () -> stageOf(invocation));
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<Object> stageOf(InvocationContext invocation) throws Exception {
        return (CompletionStage<Object>) invocation.proceed();
    }
}
