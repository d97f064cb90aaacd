package io.quarkiverse.lock.runtime.call;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkiverse.lock.runtime.transaction.ReactiveTransactions;
import io.quarkiverse.lock.runtime.transaction.Transactions;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Takes the lock if it belongs in the transaction. Any other lock is held by now: if that is lost, this makes the transaction
 * fail from within. It sits inside {@code @Transactional} (+ 200), which rolls back on a failure, but would leave a transaction
 * open if merely cancelled.
 */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 250)
public class LockLossInterceptor {

    private final LockedMethods methods;
    private final Transactions transactions;
    private final ReactiveTransactions reactive;

    @Inject
    public LockLossInterceptor(LockedMethods methods, Instance<Transactions> transactions,
            Instance<ReactiveTransactions> reactive) {
        this.methods = methods;
        this.transactions = transactions.isResolvable() ? transactions.get() : Transactions.NONE;
        this.reactive = reactive.isResolvable() ? reactive.get() : ReactiveTransactions.NONE;
    }

    @AroundInvoke
    Object guard(InvocationContext invocation) throws Exception {
        LockedMethod method = methods.of(invocation);
        if (method == null) {
            return invocation.proceed(); // switched off
        }
        TransactionalLocks inTransaction = method.engine().transactional();
        if (inTransaction != null) {
            return LocksInTransactions.inside(invocation, method, inTransaction);
        }
        if (!method.transactional()) {
            return invocation.proceed();
        }
        return switch (method.returns()) {
            case BLOCKING -> blocking(invocation, method);
            case UNI -> method.reactiveTransaction()
                    ? Pipelines.failingAtEnd(() -> InvocationPipeline.uni(invocation::proceed), reactive::flush,
                            InvocationPipeline.of(invocation))
                    : uni(invocation, method);
            case MULTI -> multi(invocation, method);
            case COMPLETION_STAGE -> stage(invocation, method);
        };
    }

    private Object blocking(InvocationContext invocation, LockedMethod method) throws Exception {
        List<LockHold> holds = failing(InvocationHolds.of(invocation));
        Validity validity = method.engine().validity();
        for (LockHold hold : holds) {
            if (validity.lostForGood(hold)) {
                throw hold.loss(); // lost while the transaction began
            }
        }
        checkAtCommit(holds, method, true);
        Object result;
        try {
            result = invocation.proceed();
        } finally {
            for (LockHold hold : holds) {
                if (BlockingCalls.opensScope(invocation, hold)) {
                    method.engine().scopes().bodyEnded(hold); // no interrupt may disturb the end of the transaction
                }
            }
        }
        for (LockHold hold : holds) {
            if (!validity.validOrConfirmed(hold)) {
                throw validity.failure(hold);
            }
        }
        return result;
    }

    private @Nullable Uni<?> uni(InvocationContext invocation, LockedMethod method) throws Exception {
        Pipelines.Running pipeline = InvocationPipeline.of(invocation);
        checkAtLaterCommit(failing(pipeline), method);
        return Pipelines.failingInside((Uni<?>) invocation.proceed(), pipeline);
    }

    private @Nullable Multi<?> multi(InvocationContext invocation, LockedMethod method) throws Exception {
        Pipelines.Running pipeline = InvocationPipeline.of(invocation);
        checkAtLaterCommit(failing(pipeline), method);
        return Pipelines.failingInside(LaterWork.items((Multi<?>) invocation.proceed(), method), pipeline);
    }

    /** The thread on which the body ends does the commit, and it may not be allowed to wait for a backend. */
    private void checkAtLaterCommit(List<LockHold> holds, LockedMethod method) {
        checkAtCommit(holds, method, false);
    }

    /**
     * Catches losses after the end of the body: the transaction still writes and flushes then. One begun in the scope of the
     * lock is checked anyway, but not one that is older.
     */
    private void checkAtCommit(List<LockHold> holds, LockedMethod method, boolean mayAsk) {
        Transactions.Current transaction = transactions.current();
        if (transaction != null) {
            holds.forEach(hold -> transaction.check(method.engine(), hold, mayAsk));
        }
    }

    private static List<LockHold> failing(Pipelines.@Nullable Running pipeline) {
        return failing(pipeline == null ? null : pipeline.held());
    }

    /** The holds whose loss is a failure. */
    private static List<LockHold> failing(@Nullable Held held) {
        List<LockHold> holds = new ArrayList<>();
        for (int i = 0; held != null && i < held.size(); i++) {
            if (held.get(i).failsOnLoss()) {
                holds.add(held.get(i));
            }
        }
        return holds;
    }

    private @Nullable CompletionStage<?> stage(InvocationContext invocation, LockedMethod method) throws Exception {
        Held held = InvocationHolds.of(invocation);
        List<LockHold> holds = failing(held);
        checkAtLaterCommit(holds, method);
        CompletionStage<?> stage = (CompletionStage<?>) invocation.proceed();
        return stage == null || holds.isEmpty() ? stage : method.engine().stages().failingInside(held, stage);
    }
}
