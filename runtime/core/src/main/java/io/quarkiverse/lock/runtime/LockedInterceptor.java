package io.quarkiverse.lock.runtime;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.engine.Hold;
import io.quarkiverse.lock.engine.HoldSettings;
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
    private final ReactiveTransactions reactive;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    @Inject
    public LockedInterceptor(LockedMethods methods, Instance<Transactions> transactions,
            Instance<ReactiveTransactions> reactive) {
        this.methods = methods;
        this.transactions = transactions.isResolvable() ? transactions.get() : Transactions.NONE;
        this.reactive = reactive.isResolvable() ? reactive.get() : ReactiveTransactions.NONE;
    }

    @AroundInvoke
    Object lock(InvocationContext invocation) throws Exception {
        LockedMethod method = methods.of(invocation);
        if (method == null) {
            return invocation.proceed(); // switched off
        }
        TransactionalLocks inTransaction = method.engine().transactional();
        if (inTransaction != null) {
            return aroundTransaction(invocation, method, inTransaction);
        }
        return switch (method.returns()) {
            case BLOCKING -> method.several() ? severalBlocking(invocation, method)
                    : blocking(invocation, method, method.name(invocation.getParameters()), null);
            case UNI -> uni(invocation, method);
            case MULTI -> new LockedStream(this, invocation, method).multi();
            case COMPLETION_STAGE -> {
                SeveralNames several = several(invocation, method);
                yield stage(invocation, method,
                        several == null ? method.name(invocation.getParameters()) : several.next(), several);
            }
        };
    }

    Transactions.@Nullable Current transaction() {
        return transactions.current();
    }

    /** For the pipelines of another attempt at the same call. */
    static void forgetPipeline(InvocationContext invocation) {
        invocation.getContextData().remove(PIPELINE);
    }

    private static @Nullable SeveralNames several(InvocationContext invocation, LockedMethod method) {
        return method.several() ? new SeveralNames(method, invocation.getParameters()) : null;
    }

    private @Nullable Object aroundTransaction(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        Transactions.Current before = transactions.current();
        if (before != null) {
            for (String name : method.names(invocation.getParameters())) {
                if (!locks.held(name, method.settings())) {
                    activeTransaction(before, method, name);
                }
            }
        }
        return LocksInTransactions.around(invocation, locks, transactions);
    }

    // --- blocking

    private @Nullable Object severalBlocking(InvocationContext invocation, LockedMethod method) throws Exception {
        SeveralNames several = new SeveralNames(method, invocation.getParameters());
        for (;;) {
            try {
                return blocking(invocation, method, several.next(), several);
            } catch (LockLostException e) {
                if (!several.beginsAnew(e)) {
                    throw e;
                }
            }
        }
    }

    /** The method, or the next of several locks around it. */
    private @Nullable Object inside(InvocationContext invocation, LockedMethod method, @Nullable SeveralNames several)
            throws Exception {
        if (several == null) {
            return invocation.proceed();
        }
        if (!several.allTaken()) {
            return blocking(invocation, method, several.next(), several);
        }
        several.beginBody();
        return invocation.proceed();
    }

    private @Nullable Object blocking(InvocationContext invocation, LockedMethod method, String name,
            @Nullable SeveralNames several) throws Exception {
        Scopes scopes = method.engine().scopes();
        Hold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null) {
            if (several != null) {
                several.taken(enclosing);
            }
            return inside(invocation, method, several);
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return proceed(invocation, method, scopes, bound, several);
        }
        refuseToWaitForItself(scopes.ownTransactionInTheWay(name, method.settings()), method, name);
        activeTransaction(transaction, method, name);
        Hold hold = scopes.tryAcquire(name, several == null ? method.settings() : several.settings());
        if (hold.refused()) {
            return busy(invocation, hold, method);
        }
        bindOrLeave(transaction, hold, method, several);
        return proceed(invocation, method, scopes, hold, several);
    }

    private @Nullable Object proceed(InvocationContext invocation, LockedMethod method, Scopes scopes, Hold hold,
            @Nullable SeveralNames several) throws Exception {
        if (hold.interruptsOnLoss()) {
            invocation.getContextData().put(several == null ? SCOPE : SCOPE + hold.name(), hold);
        }
        if (several != null) {
            several.taken(hold);
        }
        scopes.begin(hold);
        Object result;
        try {
            result = inside(invocation, method, several);
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

    static @Nullable Object busy(InvocationContext invocation, Hold hold, LockedMethod method) throws Exception {
        if (method.onBusy() == OnBusy.SKIP) {
            return method.skipped();
        }
        LockBusyException busy = method.engine().busy(hold);
        Fallback fallback = method.fallback();
        if (fallback == null) {
            throw busy;
        }
        return fallback.call(invocation.getTarget(), invocation.getParameters(), busy);
    }

    /** Whether the scope of this hold is that of this very invocation; known only of holds that interrupt on loss. */
    static boolean opensScope(InvocationContext invocation, Hold hold) {
        return hold.interruptsOnLoss() && (invocation.getContextData().get(SCOPE) == hold
                || invocation.getContextData().get(SCOPE + hold.name()) == hold);
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
        Fallback fallback = method.fallback();
        if (fallback == null) {
            return unreplaced(invocation, method, null);
        }
        return Uni.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean(); // what the body itself fails with is not for the fallback
            return unreplaced(invocation, method, begun)
                    .onFailure(failure -> failure instanceof LockBusyException && !begun.get())
                    .recoverWithUni(busy -> UniFallback.of(fallback, invocation, (LockBusyException) busy));
        });
    }

    private Uni<Object> unreplaced(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun) {
        if (!method.several()) {
            return locked(invocation, method, begun, null);
        }
        return Uni.createFrom().deferred(() -> {
            SeveralNames several = new SeveralNames(method, invocation.getParameters());
            return Uni.createFrom().deferred(() -> {
                forgetPipeline(invocation);
                return locked(invocation, method, begun, several);
            }).onFailure(several::beginsAnew).retry().indefinitely();
        });
    }

    private Uni<Object> locked(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun,
            @Nullable SeveralNames several) {
        return Uni.createFrom().context(context -> {
            String name = several == null ? method.name(invocation.getParameters()) : several.next();
            Transactions.Current transaction = transactions.current();
            Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
            if (bound == null) {
                activeTransaction(transaction, method, name);
            }
            boolean inReactive = reactive.active();
            if (inReactive && !Pipelines.isInside(context, method.engine(), name)) {
                activeReactiveTransaction(method, name);
            }
            return Pipelines.locked(method.engine(), name, several == null ? method.settings() : several.settings(), bound,
                    method.onBusy() == OnBusy.SKIP,
                    (hold, pipeline) -> {
                        if (hold != bound) {
                            bind(transaction, hold, method, several);
                        }
                        if (method.transactional()) {
                            keep(invocation, several == null ? null : pipeline(invocation), pipeline);
                        }
                        if (several != null) {
                            several.taken(hold);
                            if (!several.allTaken()) {
                                return locked(invocation, method, begun, several);
                            }
                            several.beginBody();
                        }
                        if (begun != null) {
                            begun.set(true);
                        }
                        if (inReactive || method.reactiveTransaction()) {
                            pipeline.beginPatientBody();
                        }
                        return proceed(invocation);
                    });
        });
    }

    /** @param around that of the name taken before, in this same call and subscription */
    static void keep(InvocationContext invocation, Pipelines.@Nullable Running around, Pipelines.Running pipeline) {
        invocation.getContextData().put(PIPELINE, around == null ? pipeline : pipeline.within(around));
    }

    /** The pipeline whose body this invocation is about to make. */
    static Pipelines.@Nullable Running pipeline(InvocationContext invocation) {
        return (Pipelines.Running) invocation.getContextData().get(PIPELINE);
    }

    @SuppressWarnings("unchecked")
    static <T> T proceed(InvocationContext invocation) {
        try {
            return (T) invocation.proceed();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return (T) Uni.createFrom().failure(e);
        }
    }

    // --- CompletionStage

    private CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method, String name,
            @Nullable SeveralNames several) {
        Scopes scopes = method.engine().scopes();
        Hold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null && enclosing.enter()) {
            return run(invocation, method, enclosing, several);
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return run(invocation, method, bound, several);
        }
        activeTransaction(transaction, method, name);
        HoldSettings settings = several == null ? method.settings() : several.settings();
        if (method.engine().threads().blockingForbidden()) {
            return Stages.acquire(method.engine(), name, settings)
                    .handle((hold, failure) -> afterWait(invocation, method, transaction, hold, failure, several))
                    .thenCompose(stage -> stage);
        }
        Hold hold = scopes.tryAcquire(name, settings);
        if (hold.refused()) {
            return busyStage(invocation, method, method.engine().busy(hold));
        }
        return held(invocation, method, transaction, hold, several);
    }

    private CompletionStage<Object> afterWait(InvocationContext invocation, LockedMethod method,
            Transactions.@Nullable Current transaction, @Nullable Hold hold, @Nullable Throwable failure,
            @Nullable SeveralNames several) {
        if (hold != null) {
            return held(invocation, method, transaction, hold, several);
        }
        return failure instanceof LockBusyException busy ? busyStage(invocation, method, busy)
                : CompletableFuture.failedFuture(failure);
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<Object> busyStage(InvocationContext invocation, LockedMethod method,
            LockBusyException busy) {
        if (method.onBusy() == OnBusy.SKIP) {
            return CompletableFuture.completedFuture(method.skipped());
        }
        Fallback fallback = method.fallback();
        if (fallback == null) {
            return CompletableFuture.failedFuture(busy);
        }
        try {
            return (CompletionStage<Object>) fallback.call(invocation.getTarget(), invocation.getParameters(), busy);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<Object> held(InvocationContext invocation, LockedMethod method,
            Transactions.@Nullable Current transaction, Hold hold, @Nullable SeveralNames several) {
        bindOrLeave(transaction, hold, method, several);
        return run(invocation, method, hold, several);
    }

    private CompletionStage<Object> run(InvocationContext invocation, LockedMethod method, Hold hold,
            @Nullable SeveralNames several) {
        if (several == null) {
            return Stages.run(method.engine(), hold, () -> stageOf(invocation));
        }
        several.taken(hold);
        return Stages.run(method.engine(), hold, () -> {
            if (!several.allTaken()) {
                return stage(invocation, method, several.next(), several);
            }
            several.beginBody();
            return stageOf(invocation);
        });
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<Object> stageOf(InvocationContext invocation) throws Exception {
        return (CompletionStage<Object>) invocation.proceed();
    }

    // --- transactions that were there before

    void activeTransaction(Transactions.@Nullable Current transaction, LockedMethod method, String name) {
        if (transaction == null || method.activeTransaction() == ActiveTransaction.JOIN) {
            return;
        }
        String message = "[" + method + "] Lock '" + name + "' is taken inside an active transaction: what it has read before "
                + "may be stale. Take the lock outside of the transaction, or set quarkus.lock.active-transaction=join";
        refuseOrWarn(method, message);
    }

    /** That of a Vert.x context tells nobody when it has rolled back: no lock can wait for its end. */
    private void activeReactiveTransaction(LockedMethod method, String name) {
        if (method.release() == Release.ON_RETURN) {
            return;
        }
        refuseOrWarn(method, "[" + method + "] Lock '" + name + "' is taken inside a transaction of Hibernate Reactive, and "
                + "will be given back at the end of the method, before that transaction commits: others may read what it "
                + "replaces. Put @Locked on the method that begins the transaction, or say that you want it so with "
                + "@Locked(release = ON_RETURN)");
    }

    private void refuseOrWarn(LockedMethod method, String message) {
        if (method.activeTransaction() == ActiveTransaction.FAIL) {
            throw new IllegalStateException(message);
        }
        if (warned.add(method.template())) {
            LOG.warn(message);
        }
    }

    static void bind(Transactions.@Nullable Current transaction, Hold hold, LockedMethod method,
            @Nullable SeveralNames several) {
        if (transaction == null || method.release() == Release.ON_RETURN) {
            return;
        }
        if (several != null) {
            several.boundToTransaction();
        }
        transaction.bind(hold);
    }

    /** {@link #bind}, where there is no pipeline that leaves the hold when this fails. */
    private static void bindOrLeave(Transactions.@Nullable Current transaction, Hold hold, LockedMethod method,
            @Nullable SeveralNames several) {
        try {
            bind(transaction, hold, method, several);
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
