package io.quarkiverse.lock.runtime;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.engine.Hold;
import io.quarkiverse.lock.engine.Pipelines;
import io.quarkiverse.lock.engine.Scopes;
import io.quarkiverse.lock.engine.Stages;
import io.quarkiverse.lock.engine.TransactionalLocks;
import io.smallrye.mutiny.Uni;

/**
 * Takes the lock of a {@link Locked} method around everything that a transaction does: it sits outside of
 * {@code @Transactional} (+ 200), so that the lock is there before the transaction begins and still there when it commits.
 */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
public class LockedInterceptor {

    private static final Logger LOG = Logger.getLogger(LockedInterceptor.class);

    /** Where the interceptors of one invocation leave the pipeline whose body is being made. */
    private static final String PIPELINE = "io.quarkiverse.lock.pipeline";

    /** Where the interceptors of one invocation leave the hold whose scope it opens. */
    private static final String SCOPE = "io.quarkiverse.lock.scope";

    private final LockedMethods methods;
    private final Transactions transactions;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    @Inject
    public LockedInterceptor(LockedMethods methods, Instance<Transactions> transactions) {
        this.methods = methods;
        this.transactions = transactions.isResolvable() ? transactions.get() : Transactions.NONE;
    }

    @AroundInvoke
    Object lock(InvocationContext invocation) throws Exception {
        LockedMethod method = methods.of(invocation);
        TransactionalLocks inTransaction = method.engine().transactional();
        if (inTransaction != null) {
            return aroundTransaction(invocation, method, inTransaction);
        }
        return switch (method.returns()) {
            case BLOCKING -> blocking(invocation, method, method.name(invocation.getParameters()));
            case UNI -> uni(invocation, method);
            case COMPLETION_STAGE -> stage(invocation, method, method.name(invocation.getParameters()));
        };
    }

    private @Nullable Object aroundTransaction(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        Transactions.Current before = transactions.current();
        if (before != null) {
            String name = method.name(invocation.getParameters());
            if (!locks.held(name, method.settings())) {
                activeTransaction(before, method, name);
            }
        }
        return LocksInTransactions.around(invocation, locks, transactions);
    }

    // --- blocking

    private @Nullable Object blocking(InvocationContext invocation, LockedMethod method, String name) throws Exception {
        Scopes scopes = method.engine().scopes();
        if (scopes.enclosing(name, method.settings()) != null) {
            return invocation.proceed();
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return proceed(invocation, scopes, bound);
        }
        refuseToWaitForItself(scopes.ownTransactionInTheWay(name, method.settings()), method, name);
        activeTransaction(transaction, method, name);
        Hold hold = scopes.tryAcquire(name, method.settings());
        if (hold.refused()) {
            return skipped(hold, method);
        }
        bind(transaction, hold, method);
        return proceed(invocation, scopes, hold);
    }

    private @Nullable Object proceed(InvocationContext invocation, Scopes scopes, Hold hold) throws Exception {
        if (hold.interruptsOnLoss()) {
            invocation.getContextData().put(SCOPE, hold);
        }
        scopes.begin(hold);
        Object result;
        try {
            result = invocation.proceed();
        } catch (Exception | Error failure) {
            if (commitRefused(failure, hold)) {
                scopes.end(hold, lossBehind(failure, hold));
                throw hold.loss();
            }
            scopes.end(hold, failure);
            throw failure;
        }
        scopes.end(hold, null);
        return result;
    }

    static @Nullable Object skipped(Hold hold, LockedMethod method) {
        if (method.onBusy() == OnBusy.SKIP) {
            return method.skipped();
        }
        throw method.engine().busy(hold);
    }

    /** Whether the scope of this hold is that of this very invocation; known only of holds that interrupt on loss. */
    static boolean opensScope(InvocationContext invocation, Hold hold) {
        return hold.interruptsOnLoss() && invocation.getContextData().get(SCOPE) == hold;
    }

    private boolean commitRefused(Throwable failure, Hold hold) {
        return hold.failsOnLoss() && hold.lostForGood() && failure != hold.loss() && transactions.isRollback(failure);
    }

    /** A commit that was refused because of a lost lock is reported as that loss. */
    private static Throwable lossBehind(Throwable failure, Hold hold) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause == hold.loss()) {
                return hold.loss(); // the refusal says nothing more, and must not be led back to by its own cause
            }
        }
        hold.loss().addSuppressed(failure);
        return hold.loss();
    }

    // --- Uni

    private Uni<Object> uni(InvocationContext invocation, LockedMethod method) {
        return Uni.createFrom().deferred(() -> {
            String name = method.name(invocation.getParameters());
            Transactions.Current transaction = transactions.current();
            Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
            if (bound == null) {
                activeTransaction(transaction, method, name);
            }
            return Pipelines.locked(method.engine(), name, method.settings(), bound, method.onBusy() == OnBusy.SKIP,
                    (hold, pipeline) -> {
                        if (hold != bound) {
                            bind(transaction, hold, method);
                        }
                        if (method.transactional()) {
                            invocation.getContextData().put(PIPELINE, pipeline);
                        }
                        return proceed(invocation);
                    });
        });
    }

    /** The pipeline whose body this invocation is about to make. */
    static Pipelines.@Nullable Running pipeline(InvocationContext invocation) {
        return (Pipelines.Running) invocation.getContextData().get(PIPELINE);
    }

    @SuppressWarnings("unchecked")
    private static <T> T proceed(InvocationContext invocation) {
        try {
            return (T) invocation.proceed();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return (T) Uni.createFrom().failure(e);
        }
    }

    // --- CompletionStage

    private CompletionStage<?> stage(InvocationContext invocation, LockedMethod method, String name) {
        Scopes scopes = method.engine().scopes();
        Hold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null && enclosing.enter()) {
            return Stages.run(method.engine(), enclosing, () -> stageOf(invocation));
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return Stages.run(method.engine(), bound, () -> stageOf(invocation));
        }
        activeTransaction(transaction, method, name);
        if (method.engine().threads().blockingForbidden()) {
            return Stages.acquire(method.engine(), name, method.settings())
                    .handle((hold, failure) -> afterWait(invocation, method, transaction, hold, failure))
                    .thenCompose(stage -> stage);
        }
        Hold hold = scopes.tryAcquire(name, method.settings());
        if (hold.refused()) {
            return method.onBusy() == OnBusy.SKIP ? CompletableFuture.completedFuture(method.skipped())
                    : CompletableFuture.failedFuture(method.engine().busy(hold));
        }
        return held(invocation, method, transaction, hold);
    }

    private CompletionStage<Object> afterWait(InvocationContext invocation, LockedMethod method,
            Transactions.@Nullable Current transaction, @Nullable Hold hold, @Nullable Throwable failure) {
        if (hold != null) {
            return held(invocation, method, transaction, hold);
        }
        return failure instanceof LockBusyException && method.onBusy() == OnBusy.SKIP
                ? CompletableFuture.completedFuture(method.skipped())
                : CompletableFuture.failedFuture(failure);
    }

    private CompletionStage<Object> held(InvocationContext invocation, LockedMethod method,
            Transactions.@Nullable Current transaction, Hold hold) {
        bind(transaction, hold, method);
        return Stages.run(method.engine(), hold, () -> stageOf(invocation));
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<Object> stageOf(InvocationContext invocation) throws Exception {
        return (CompletionStage<Object>) invocation.proceed();
    }

    // --- transactions that were there before

    private void activeTransaction(Transactions.@Nullable Current transaction, LockedMethod method, String name) {
        if (transaction == null || method.activeTransaction() == ActiveTransaction.JOIN) {
            return;
        }
        String message = "[" + method + "] Lock '" + name + "' is taken inside an active transaction: what it has read before "
                + "may be stale. Take the lock outside of the transaction, or set quarkus.lock.active-transaction=join";
        if (method.activeTransaction() == ActiveTransaction.FAIL) {
            throw new IllegalStateException(message);
        }
        if (warned.add(method.template())) {
            LOG.warn(message);
        }
    }

    private static void bind(Transactions.@Nullable Current transaction, Hold hold, LockedMethod method) {
        if (transaction == null || method.release() == Release.ON_RETURN) {
            return;
        }
        try {
            transaction.bind(hold);
        } catch (RuntimeException e) {
            hold.leaveBlocking();
            throw e;
        }
    }

    /** A lock that belongs to a suspended transaction of this thread cannot become free while the thread waits for it. */
    private static void refuseToWaitForItself(@Nullable Hold inTheWay, LockedMethod method, String name) {
        if (inTheWay != null) {
            throw new IllegalStateException("[" + method + "] Lock '" + name + "' belongs to a transaction of this very thread "
                    + "that is suspended (REQUIRES_NEW, NOT_SUPPORTED): waiting for it would never end. "
                    + "Take the lock before the outer transaction, or use @Locked(release = ON_RETURN)");
        }
    }
}
