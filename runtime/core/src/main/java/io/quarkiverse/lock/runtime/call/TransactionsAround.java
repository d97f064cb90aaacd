package io.quarkiverse.lock.runtime.call;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.news.Causes;
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

/**
 * Transactions that are active before the lock is taken: what a call must know about them, and what it reports. One for all
 * interceptors, of which each bean has its own: a warning is for all of them.
 */
@Singleton
final class TransactionsAround {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.runtime.LockedInterceptor"); // people filter by it

    private final Transactions transactions;
    private final ReactiveTransactions reactive;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    @Inject
    TransactionsAround(Instance<Transactions> transactions, Instance<ReactiveTransactions> reactive) {
        this.transactions = transactions.isResolvable() ? transactions.get() : Transactions.NONE;
        this.reactive = reactive.isResolvable() ? reactive.get() : ReactiveTransactions.NONE;
    }

    Transactions transactions() {
        return transactions;
    }

    Transactions.@Nullable Current current() {
        return transactions.current();
    }

    /**
     * The transaction to which a new lock of the call belongs. The work of a method that suspends the active transaction is not
     * in that one, so neither is its lock.
     */
    Transactions.@Nullable Current ofNewLocks(Transactions.@Nullable Current active, InvocationContext invocation) {
        return active == null || transactions.suspendedIn(invocation) ? null : active;
    }

    /** The failure reported to the caller: a commit refused because a lock is or may be lost is reported as that. */
    Throwable told(Throwable failure, Held held, LockedMethod method) {
        if (held.isLoss(failure) || !transactions.isRollback(failure)) {
            return failure;
        }
        for (Throwable cause : Causes.of(failure)) {
            if (held.isLoss(cause)) {
                return cause; // the refusal adds nothing, and its own cause must not refer back to it
            }
        }
        LockLostException loss = method.engine().validity().lossForGood(held, true);
        if (loss == null) {
            return failure;
        }
        loss.addSuppressed(failure);
        return loss;
    }

    /**
     * The names of a call, unless something forbids taking them here.
     *
     * @param scopes where the caller may already have holds; {@code null} if that depends on the subscriber
     * @param context the subscriber's, if there is one: a lock of its pipeline was taken before the transaction in it
     */
    NamesOfCall names(InvocationContext invocation, LockedMethod method, @Nullable Scopes scopes, Context context) {
        NamesOfCall names = new NamesOfCall(invocation, method, this, scopes);
        for (int i = 0; i < names.names().length; i++) {
            if (isNew(i, names, method, context)) {
                beforeTaking(names.transaction(), method, names.names()[i]);
            }
        }
        return names;
    }

    private static boolean isNew(int number, NamesOfCall names, LockedMethod method, Context context) {
        return names.known()[number] == null && !method.engine().pipelineHolds().isInside(context, names.names()[number]);
    }

    /** Checks a lock that is about to be taken, and will be {@linkplain #bind bound}. */
    void beforeTaking(Transactions.@Nullable Current transaction, LockedMethod method, String name) {
        if (transaction == null) {
            return;
        }
        if (method.release() != Release.ON_RETURN) {
            transaction.refuseIfDoomed(name); // now, and not after the wait
        }
        lookAt(transaction, method, name);
    }

    /**
     * Checks a lock that is about to be taken. In a transaction that has already begun, it comes too late for earlier reads.
     */
    void lookAt(Transactions.Current transaction, LockedMethod method, String name) {
        if (method.activeTransaction() == ActiveTransaction.JOIN) {
            return;
        }
        String message = "[" + method + "] Lock '" + PrintableName.of(name)
                + "' is taken inside an active transaction: what it has already read "
                + "may be stale. Take the lock outside the transaction, or set quarkus.lock.active-transaction=join";
        refuseOrWarn(method, message);
    }

    /** For locks that this thread waits for. */
    void refuseToWaitForItself(NamesOfCall names, LockedMethod method) {
        for (int i = 0; i < names.names().length; i++) {
            if (names.known()[i] == null) {
                refuseToWaitForItself(names.names()[i], method);
            }
        }
    }

    /** A lock that belongs to a suspended transaction of this thread cannot become free while the thread waits for it. */
    void refuseToWaitForItself(String name, LockedMethod method) {
        LockHold own = method.engine().scopes().ownTransactionInTheWay(name, method.settings());
        if (own != null && !transactions.leaveCompleted(own)) {
            throw new IllegalStateException(
                    "[" + method + "] Lock '" + PrintableName.of(name) + "' belongs to a suspended transaction of "
                            + "this thread (REQUIRES_NEW, NOT_SUPPORTED): waiting for it would never end. "
                            + "Take the lock before the outer transaction, or use @Locked(release = ON_RETURN)");
        }
    }

    /** A Hibernate Reactive transaction that is already open; {@code null} if there is none. */
    @Nullable
    OuterTransaction outerTransaction(LockedMethod method, Context context, NamesOfCall names) {
        ReactiveTransactions.Current current = reactive.current();
        if (current == null) {
            return null;
        }
        for (int i = 0; i < names.names().length; i++) {
            if (isNew(i, names, method, context)) {
                activeReactiveTransaction(method, names.names()[i]);
            }
        }
        return new OuterTransaction(current, context, method.engine().validity());
    }

    /** The transaction of a Vert.x context reports no rollback: no lock can wait for its end. */
    private void activeReactiveTransaction(LockedMethod method, String name) {
        if (method.release() == Release.ON_RETURN) {
            return;
        }
        refuseOrWarn(method, "[" + method + "] Lock '" + PrintableName.of(name)
                + "' is taken inside a transaction of Hibernate Reactive, and "
                + "will be released at the end of the method, before that transaction commits: others may read what it "
                + "replaces. Put @Locked on the method that begins the transaction, or confirm that you want this with "
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

    /** @param all all holds of the call, which are given back if this fails and the method blocks */
    static void bind(Transactions.@Nullable Current transaction, LockHold hold, LockedMethod method, Held all) {
        if (transaction == null || method.release() == Release.ON_RETURN) {
            return;
        }
        try {
            transaction.bind(method.engine(), hold);
        } catch (RuntimeException e) {
            if (method.returns() == ReturnKind.BLOCKING) { // others give back what their body did not begin under
                method.engine().release().giveBack(all);
            }
            throw e;
        }
    }
}
