package io.quarkiverse.lock.runtime.call;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.config.ActiveTransaction;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.method.ReturnKind;
import io.quarkiverse.lock.runtime.transaction.OuterTransaction;
import io.quarkiverse.lock.runtime.transaction.ReactiveTransactions;
import io.quarkiverse.lock.runtime.transaction.Transactions;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Context;

/** Transactions that are there before the lock is taken: what a call has to know of them, and is told. */
final class TransactionsAround {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.runtime.LockedInterceptor"); // for which people look, and filter

    private final Transactions transactions;
    private final ReactiveTransactions reactive;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    TransactionsAround(Transactions transactions, ReactiveTransactions reactive) {
        this.transactions = transactions;
        this.reactive = reactive;
    }

    Transactions.@Nullable Current current() {
        return transactions.current();
    }

    /** What the caller is told of this failure: a commit that was refused because of a lost lock is reported as that loss. */
    Throwable told(Throwable failure, Held held, LockedMethod method) {
        if (held.isLoss(failure) || !transactions.isRollback(failure)) {
            return failure;
        }
        LockLostException loss = method.engine().validity().lossForGood(held, true);
        if (loss == null) {
            return failure;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (held.isLoss(cause)) {
                return cause; // the refusal says nothing more, and must not be led back to by its own cause
            }
        }
        loss.addSuppressed(failure);
        return loss;
    }

    /**
     * The names of a call, when nothing forbids to take them here.
     *
     * @param scopes where the caller may have some; {@code null} where that depends on the subscriber
     */
    NamesOfCall names(InvocationContext invocation, LockedMethod method, @Nullable Scopes scopes) {
        NamesOfCall names = new NamesOfCall(invocation, method, transactions.current(), scopes);
        for (int i = 0; i < names.names().length; i++) {
            if (names.known()[i] == null) {
                lookAt(names.transaction(), method, names.names()[i]);
            }
        }
        return names;
    }

    /** Of a lock that is to be taken now: in a transaction that has begun, it comes late. */
    void lookAt(Transactions.@Nullable Current transaction, LockedMethod method, String name) {
        if (transaction == null || method.activeTransaction() == ActiveTransaction.JOIN) {
            return;
        }
        String message = "[" + method + "] Lock '" + PrintableName.of(name)
                + "' is taken inside an active transaction: what it has read before "
                + "may be stale. Take the lock outside of the transaction, or set quarkus.lock.active-transaction=join";
        refuseOrWarn(method, message);
    }

    /** For what waits on this thread. */
    void refuseToWaitForItself(NamesOfCall names, LockedMethod method) {
        for (int i = 0; i < names.names().length; i++) {
            if (names.known()[i] == null) {
                refuseToWaitForItself(names.names()[i], method);
            }
        }
    }

    /** A lock that belongs to a suspended transaction of this thread cannot become free while the thread waits for it. */
    void refuseToWaitForItself(String name, LockedMethod method) {
        if (method.engine().scopes().ownTransactionInTheWay(name, method.settings()) != null) {
            throw new IllegalStateException(
                    "[" + method + "] Lock '" + PrintableName.of(name) + "' belongs to a transaction of this very thread "
                            + "that is suspended (REQUIRES_NEW, NOT_SUPPORTED): waiting for it would never end. "
                            + "Take the lock before the outer transaction, or use @Locked(release = ON_RETURN)");
        }
    }

    /** One of Hibernate Reactive's that is there already; {@code null} if there is none. */
    @Nullable
    OuterTransaction outerTransaction(LockedMethod method, Context context, NamesOfCall names) {
        ReactiveTransactions.Current current = reactive.current();
        if (current == null) {
            return null;
        }
        for (int i = 0; i < names.names().length; i++) {
            String name = names.names()[i];
            if (names.known()[i] == null && !method.engine().pipelineHolds().isInside(context, name)) {
                activeReactiveTransaction(method, name);
            }
        }
        return new OuterTransaction(current, context, method.engine().validity());
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

    /** @param all what the caller has with it, and gives back if that fails */
    static void bind(Transactions.@Nullable Current transaction, LockHold hold, LockedMethod method, Held all) {
        if (transaction == null || method.release() == Release.ON_RETURN) {
            return;
        }
        try {
            transaction.bind(method.engine(), hold);
        } catch (RuntimeException e) {
            ReturnKind returns = method.returns();
            if (returns != ReturnKind.BLOCKING && returns != ReturnKind.COMPLETION_STAGE) {
                throw e; // the pipelines of the others leave it, since their body has failed
            }
            method.engine().release().giveBack(all);
            throw e;
        }
    }
}
