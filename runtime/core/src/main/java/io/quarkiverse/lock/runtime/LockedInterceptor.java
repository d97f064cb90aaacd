package io.quarkiverse.lock.runtime;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

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
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.AllOrNone;
import io.quarkiverse.lock.engine.Held;
import io.quarkiverse.lock.engine.Hold;
import io.quarkiverse.lock.engine.Holds;
import io.quarkiverse.lock.engine.Pipelines;
import io.quarkiverse.lock.engine.Scopes;
import io.quarkiverse.lock.engine.Stages;
import io.quarkiverse.lock.engine.TransactionalLocks;
import io.smallrye.mutiny.Context;
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
                    : blocking(invocation, method);
            case UNI -> uni(invocation, method);
            case MULTI -> new LockedStream(this, invocation, method).multi();
            case COMPLETION_STAGE -> method.several() ? severalStages(invocation, method) : stage(invocation, method);
        };
    }

    Transactions.@Nullable Current transaction() {
        return transactions.current();
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
        Scopes scopes = method.engine().scopes();
        SeveralNames several = new SeveralNames(invocation, method, transactions.current(), scopes);
        for (int i = 0; i < several.names().length; i++) {
            if (several.known()[i] == null) {
                refuseToWaitForItself(scopes.ownTransactionInTheWay(several.names()[i], method.settings()), method,
                        several.names()[i]);
                activeTransaction(several.transaction(), method, several.names()[i]);
            }
        }
        Holds holds = AllOrNone.take(method.engine(), several.names(), method.settings(), several.known());
        Hold refused = holds.refused();
        if (refused != null) {
            return busy(invocation, refused, method);
        }
        several.bind(holds);
        return inside(invocation, method, scopes, holds, 0);
    }

    /** In the scopes of all of them, one inside the other; those whose scope it is already stay around. */
    private @Nullable Object inside(InvocationContext invocation, LockedMethod method, Scopes scopes, Holds holds, int next)
            throws Exception {
        if (next == holds.size()) {
            return invocation.proceed();
        }
        Hold hold = holds.get(next);
        if (!scopes.inside(hold)) {
            return proceed(invocation, method, scopes, hold, holds, next + 1);
        }
        try {
            return inside(invocation, method, scopes, holds, next + 1);
        } finally {
            hold.leaveBlocking();
        }
    }

    private @Nullable Object blocking(InvocationContext invocation, LockedMethod method) throws Exception {
        String name = method.name(invocation.getParameters());
        Scopes scopes = method.engine().scopes();
        if (scopes.enclosing(name, method.settings()) != null) {
            return invocation.proceed();
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return proceed(invocation, method, scopes, bound, null, 0);
        }
        refuseToWaitForItself(scopes.ownTransactionInTheWay(name, method.settings()), method, name);
        activeTransaction(transaction, method, name);
        Hold hold = scopes.tryAcquire(name, method.settings());
        if (hold.refused()) {
            return busy(invocation, hold, method);
        }
        bind(transaction, hold, method, null);
        return proceed(invocation, method, scopes, hold, null, 0);
    }

    /**
     * @param others of which those from {@code next} on are still to be put around the method; {@code null} if it is one lock
     */
    private @Nullable Object proceed(InvocationContext invocation, LockedMethod method, Scopes scopes, Hold hold,
            @Nullable Holds others, int next) throws Exception {
        if (hold.interruptsOnLoss()) {
            invocation.getContextData().put(others == null ? SCOPE : SCOPE + hold.name(), hold);
        }
        scopes.begin(hold);
        Object result;
        try {
            result = others == null ? invocation.proceed() : inside(invocation, method, scopes, others, next);
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
        return Uni.createFrom().context(context -> method.several() ? severalLocked(invocation, method, begun, context)
                : locked(invocation, method, begun, context));
    }

    private Uni<Object> locked(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun,
            Context context) {
        String name = method.name(invocation.getParameters());
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound == null) {
            activeTransaction(transaction, method, name);
        }
        OuterTransaction outer = outerTransaction(method, context, name);
        Uni<Object> call = Pipelines.locked(method.engine(), name, method.settings(), bound, method.onBusy() == OnBusy.SKIP,
                (held, pipeline) -> {
                    if (held != bound) {
                        bind(transaction, (Hold) held, method, null);
                    }
                    return body(invocation, method, held, pipeline, begun, outer);
                });
        return outer == null ? call : call.onTermination().invoke(outer::callEnded);
    }

    private Uni<Object> severalLocked(InvocationContext invocation, LockedMethod method, @Nullable AtomicBoolean begun,
            Context context) {
        SeveralNames several = severalNames(invocation, method);
        OuterTransaction outer = outerTransaction(method, context, several.names());
        Uni<Object> call = Pipelines.locked(method.engine(), several.names(), method.settings(), several.known(),
                method.onBusy() == OnBusy.SKIP, (held, pipeline) -> {
                    several.bind((Holds) held);
                    return body(invocation, method, held, pipeline, begun, outer);
                });
        return outer == null ? call : call.onTermination().invoke(outer::callEnded);
    }

    /** For a subscription. */
    SeveralNames severalNames(InvocationContext invocation, LockedMethod method) {
        SeveralNames several = new SeveralNames(invocation, method, transactions.current(), null);
        for (int i = 0; i < several.names().length; i++) {
            if (several.known()[i] == null) {
                activeTransaction(several.transaction(), method, several.names()[i]);
            }
        }
        return several;
    }

    private static Uni<Object> body(InvocationContext invocation, LockedMethod method, Held held, Pipelines.Running pipeline,
            @Nullable AtomicBoolean begun, @Nullable OuterTransaction outer) {
        keep(invocation, method, pipeline);
        if (begun != null) {
            begun.set(true);
        }
        if (outer != null) {
            outer.under(held);
        }
        if (outer != null || method.reactiveTransaction()) {
            pipeline.beginPatientBody(); // a transaction cannot be cancelled in its midst
        }
        return proceed(invocation);
    }

    /** For the inner of the two interceptors. */
    static void keep(InvocationContext invocation, LockedMethod method, Pipelines.Running pipeline) {
        if (method.transactional()) {
            invocation.getContextData().put(PIPELINE, pipeline);
        }
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

    private CompletionStage<Object> stage(InvocationContext invocation, LockedMethod method) {
        String name = method.name(invocation.getParameters());
        Scopes scopes = method.engine().scopes();
        Hold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null && enclosing.enter()) {
            return run(invocation, method, enclosing);
        }
        Transactions.Current transaction = transactions.current();
        Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return run(invocation, method, bound);
        }
        activeTransaction(transaction, method, name);
        if (method.engine().threads().blockingForbidden()) {
            OuterTransaction outer = outerTransaction(method, Context.empty(), name);
            return afterWait(Stages.acquire(method.engine(), name, method.settings()), invocation, method, hold -> {
                bind(transaction, hold, method, null);
                return inside(outer, hold, run(invocation, method, hold));
            });
        }
        Hold hold = scopes.tryAcquire(name, method.settings());
        if (hold.refused()) {
            return busyStage(invocation, method, method.engine().busy(hold));
        }
        bind(transaction, hold, method, null);
        return run(invocation, method, hold);
    }

    private CompletionStage<Object> severalStages(InvocationContext invocation, LockedMethod method) {
        SeveralNames several = new SeveralNames(invocation, method, transactions.current(), method.engine().scopes());
        for (int i = 0; i < several.names().length; i++) {
            if (several.known()[i] == null) {
                activeTransaction(several.transaction(), method, several.names()[i]);
            }
        }
        if (method.engine().threads().blockingForbidden()) {
            OuterTransaction outer = outerTransaction(method, Context.empty(), several.names());
            return afterWait(Stages.acquire(method.engine(), several.names(), method.settings(), several.known()), invocation,
                    method, holds -> {
                        several.bind(holds);
                        return inside(outer, holds, run(invocation, method, holds));
                    });
        }
        Holds holds = AllOrNone.take(method.engine(), several.names(), method.settings(), several.known());
        Hold refused = holds.refused();
        if (refused != null) {
            return busyStage(invocation, method, method.engine().busy(refused));
        }
        several.bind(holds);
        return run(invocation, method, holds);
    }

    private static <H> CompletionStage<Object> afterWait(CompletionStage<H> wait, InvocationContext invocation,
            LockedMethod method, Function<H, CompletionStage<Object>> then) {
        return wait.handle((held, failure) -> {
            if (held != null) {
                return then.apply(held);
            }
            return failure instanceof LockBusyException busy ? busyStage(invocation, method, busy)
                    : CompletableFuture.<Object> failedFuture(failure);
        }).thenCompose(stage -> stage);
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

    /** Those of Hibernate Reactive are open on event loops alone. */
    private static CompletionStage<Object> inside(@Nullable OuterTransaction outer, Held held, CompletionStage<Object> stage) {
        if (outer == null) {
            return stage;
        }
        outer.under(held);
        return stage.whenComplete((result, failure) -> outer.callEnded());
    }

    private static CompletionStage<Object> run(InvocationContext invocation, LockedMethod method, Held held) {
        return Stages.run(method.engine(), held, () -> stageOf(invocation));
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
        String message = "[" + method + "] Lock '" + PrintableName.of(name)
                + "' is taken inside an active transaction: what it has read before "
                + "may be stale. Take the lock outside of the transaction, or set quarkus.lock.active-transaction=join";
        refuseOrWarn(method, message);
    }

    /** One of Hibernate Reactive's that is there already; {@code null} if there is none. */
    @Nullable
    OuterTransaction outerTransaction(LockedMethod method, Context context, String... names) {
        ReactiveTransactions.Current current = reactive.current();
        if (current == null) {
            return null;
        }
        for (String name : names) {
            if (!Pipelines.isInside(context, method.engine(), name)) {
                activeReactiveTransaction(method, name);
            }
        }
        return new OuterTransaction(current, context);
    }

    /** That of a Vert.x context tells nobody when it has rolled back: no lock can wait for its end. */
    private void activeReactiveTransaction(LockedMethod method, String name) {
        if (method.release() == Release.ON_RETURN) {
            return;
        }
        refuseOrWarn(method, "[" + method + "] Lock '" + PrintableName.of(name)
                + "' is taken inside a transaction of Hibernate Reactive, and "
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

    /** @param all what the caller has with it, and gives back if that fails; {@code null} if it is one lock */
    static void bind(Transactions.@Nullable Current transaction, Hold hold, LockedMethod method, @Nullable Holds all) {
        if (transaction == null || method.release() == Release.ON_RETURN) {
            return;
        }
        try {
            transaction.bind(hold);
        } catch (RuntimeException e) {
            ReturnKind returns = method.returns();
            if (returns != ReturnKind.BLOCKING && returns != ReturnKind.COMPLETION_STAGE) {
                throw e; // the pipelines of the others leave it, since their body has failed
            }
            if (all == null) {
                hold.leaveBlocking();
            } else {
                all.giveBackBlocking();
            }
            throw e;
        }
    }

    /** A lock that belongs to a suspended transaction of this thread cannot become free while the thread waits for it. */
    private static void refuseToWaitForItself(@Nullable Hold inTheWay, LockedMethod method, String name) {
        if (inTheWay != null) {
            throw new IllegalStateException(
                    "[" + method + "] Lock '" + PrintableName.of(name) + "' belongs to a transaction of this very thread "
                            + "that is suspended (REQUIRES_NEW, NOT_SUPPORTED): waiting for it would never end. "
                            + "Take the lock before the outer transaction, or use @Locked(release = ON_RETURN)");
        }
    }
}
