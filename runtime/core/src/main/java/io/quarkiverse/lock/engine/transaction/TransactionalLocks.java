package io.quarkiverse.lock.engine.transaction;

import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.handle.Handles;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.Causes;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.state.Fencing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.LockTransactions;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Locks that are part of the caller's transaction. The steps: the turn in this JVM, as for all locks; then the lock itself, in
 * the current thread's transaction; then the hold is bound to that transaction and ends with it. A transaction that may hold
 * something others wait for takes no turn, because the database must see whom it waits for. Turns only save connections, and
 * such a transaction has one anyway.
 */
public final class TransactionalLocks {

    private final TransactionalBackend backend;
    private final LockTransactions transactions;

    private final LockTime time;
    private final CallerThreads threads;
    private final Scopes scopes;
    private final Admission admission;
    private final BlockingAcquire acquire;
    private final Refusals refusals;
    private final ErrorMessages errors;
    private final Handles handles;
    private final Validity validity;
    private final Losses losses;
    private final HandOver handOver;
    private final Events events;
    private final Fencing fencing;
    private final @Nullable LockOrders orders;

    public TransactionalLocks(TransactionalBackend backend, LockTime time, CallerThreads threads, Scopes scopes,
            Admission admission, BlockingAcquire acquire, Refusals refusals, ErrorMessages errors, Handles handles,
            Validity validity, Losses losses, HandOver handOver, Events events, Fencing fencing,
            @Nullable LockOrders orders) {
        this.backend = backend;
        this.transactions = backend.transactions();
        this.time = time;
        this.threads = threads;
        this.scopes = scopes;
        this.admission = admission;
        this.acquire = acquire;
        this.refusals = refusals;
        this.errors = errors;
        this.handles = handles;
        this.validity = validity;
        this.losses = losses;
        this.handOver = handOver;
        this.events = events;
        this.fencing = fencing;
        this.orders = orders;
    }

    LockBusyException busy(LockHold refused) {
        return errors.busy(refused);
    }

    LockHandle handle(LockHold hold) {
        return handles.of(hold);
    }

    /** What a call without the lock does: returns a result, or throws. */
    @FunctionalInterface
    public interface WhenBusy<T> {

        @Nullable
        T instead(LockHold refused) throws Exception;
    }

    /** What to use instead of features these locks lack, for messages. */
    public String alternative() {
        return backend.alternative();
    }

    /** The exception for a caller that asks for a feature these locks lack. */
    public IllegalStateException unsupported(String name, String what) {
        return new IllegalStateException("Lock '" + PrintableName.of(name) + "': " + what + " " + backend.alternative());
    }

    public IllegalArgumentException noOption(String name, String option) {
        return new IllegalArgumentException(
                "Lock '" + PrintableName.of(name) + "': " + option + " means nothing for a lock that lives as long as "
                        + "its transaction: remove it, or limit the transaction's time. " + backend.alternative());
    }

    /** Whether the current thread already has the lock, in its transaction or in a scope around it. */
    public boolean held(String name, HoldSettings settings) {
        return scopes.enclosing(name, settings) != null || transactions.active() && bond(name) != null;
    }

    // --- handles

    /** A hold with the caller as a user, or one that was refused. */
    LockHold acquire(String name, HoldSettings settings) {
        LockHold enclosing = scopes.enclosing(name, settings);
        if (enclosing != null) {
            if (transactions.active() && bond(name) == null) {
                checkAtCommit(enclosing);
            }
            if (enclosing.enter()) {
                return enclosing;
            }
        }
        if (!transactions.active()) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "' lives in a transaction, and this thread has none: call this "
                            + "inside @Transactional or QuarkusTransaction, or use call() or @Locked, which begin one. If "
                            + "it is inside, its transaction took too long and was rolled back: allow it more time "
                            + "(quarkus.transaction-manager.default-transaction-timeout, @TransactionConfiguration). "
                            + backend.alternative());
        }
        TransactionBond bond = bond(name);
        return bond != null && bond.hold.enter() ? bond.hold : take(name, settings).hold;
    }

    private @Nullable TransactionBond bond(String name) {
        TransactionBond bond = (TransactionBond) transactions.find(new TransactionBond.Key(this, name));
        return bond != null && bond.hold.live() ? bond : null;
    }

    private TransactionBond take(String name, HoldSettings settings) {
        long start = time.nanoTime();
        refuseIfDoomed(name);
        refuseToWaitForItself(name, settings);
        LockHold hold = transactions.mayHoldRows() ? apart(name, settings.renewedForEver())
                : acquire.ask(name, settings.renewedForEver());
        TransactionBond bond = new TransactionBond(hold, backend, validity, losses, handOver);
        if (hold.refused()) {
            refused(hold, start);
            return bond;
        }
        boolean settled = false;
        try {
            long fence = lock(bond, settings, start);
            if (fence == TransactionalBackend.BUSY) {
                settled = true;
                bond.dissolve();
                handOver.takeBack(hold, Refusal.busy("a transaction of another JVM or connection"), start);
                if (!hold.refused()) {
                    throw hold.loss(); // of the turn
                }
                refusals.refused(hold);
                return bond;
            }
            hold.fenced(fencing.token(fence, 0), time.nanoTime());
            if (!hold.enter()) {
                throw hold.loss(); // of the turn, before the lock was there
            }
            hold.boundIn(threads.work());
            transactions.keep(new TransactionBond.Key(this, name), bond);
            if (!bond.taken()) {
                throw ended(name, null);
            }
            settled = true;
        } catch (LockInterruptedException e) {
            refusals.givenUp(hold);
            throw e;
        } catch (RuntimeException e) {
            refusals.failed(hold, start, e);
            throw e;
        } finally {
            if (!settled && !hold.refused()) {
                bond.dissolve();
                hold.boundIn(null);
                handOver.takeBack(hold, Refusal.busy(null), start);
            }
        }
        events.emit(Kind.GRANTED, hold, hold.grantedAt() - start, null);
        events.received(hold, hold.grantedAt() - start);
        return bond;
    }

    /** A wait for the turn may outlast the transaction, which is then why it failed, whoever has the lock. */
    private void refused(LockHold hold, long start) {
        if (hold.refusal().busy() && !transactions.active()) {
            LockBackendException failure = ended(hold.name(), null);
            refusals.failed(hold, start, failure);
            throw failure;
        }
        refusals.refused(hold);
    }

    /** Locks in the database: returns its fence counter, or {@link TransactionalBackend#BUSY}. */
    private long lock(TransactionBond bond, HoldSettings settings, long start) {
        LockHold hold = bond.hold;
        long fence;
        try {
            transactions.register(bond);
            long left = settings.waitNanos() == 0 ? 0
                    : Math.max(1, settings.waitNanos() - (time.nanoTime() - start));
            fence = backend.lock(hold.lease().grant, left);
        } catch (LockInterruptedException e) {
            throw e;
        } catch (RuntimeException e) {
            refuseIfEnded(hold.name(), e); // any exception may come from a connection that another thread has closed
            throw e;
        }
        refuseIfEnded(hold.name(), null);
        return fence;
    }

    /** The transaction manager ends transactions that take too long on another thread, even during a wait. */
    private void refuseIfEnded(String name, @Nullable RuntimeException failure) {
        if (!transactions.active()) {
            throw ended(name, failure);
        }
    }

    private static LockBackendException ended(String name, @Nullable RuntimeException failure) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its transaction was rolled back while it "
                + "waited for the lock, most likely because it took too long. Allow it more time than its wait and its work "
                + "take (quarkus.transaction-manager.default-transaction-timeout, @TransactionConfiguration), or shorten "
                + "the wait (quarkus.lock.wait)",
                failure);
    }

    /** At once: a wait would be in vain. */
    private void refuseIfDoomed(String name) {
        if (!transactions.committable()) {
            refuseIfEnded(name, null);
            throw new IllegalStateException("Lock '" + PrintableName.of(name)
                    + "': the active transaction can only be rolled back, so no lock can be taken in it");
        }
    }

    private LockHold apart(String name, HoldSettings settings) {
        if (orders != null) {
            orders.asked(name, settings, List.of(), 0);
        }
        LockHold hold = admission.askApart(name, settings);
        if (orders != null && !hold.refused()) {
            orders.taken(hold);
        }
        return hold;
    }

    /** A lock that belongs to a suspended transaction of this thread cannot become free while the thread waits for it. */
    private void refuseToWaitForItself(String name, HoldSettings settings) {
        if (scopes.ownTransactionInTheWay(name, settings) != null) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "' belongs to a suspended transaction of this thread "
                            + "(REQUIRES_NEW, NOT_SUPPORTED): waiting for it would never end. Take the lock before the outer "
                            + "transaction, or do the inner work in the outer transaction");
        }
    }

    // --- bodies

    /** Runs a body under the lock, in the current transaction, or in a new one if there is none. */
    public <T> @Nullable T call(String name, HoldSettings settings, WhenBusy<T> whenBusy, Callable<T> body) throws Exception {
        if (threads.blockingForbidden()) {
            throw threads.blockingRefused(
                    "Lock '" + PrintableName.of(name) + "' lives in a transaction, which cannot begin on an event "
                            + "loop: call this on a worker or virtual thread (@Blocking, @RunOnVirtualThread)");
        }
        if (transactions.active()) {
            return inTransaction(name, settings, whenBusy, body);
        }
        LockHold enclosing = scopes.enclosing(name, settings);
        if (enclosing != null) {
            return scopes.again(enclosing, body);
        }
        try {
            return new OwnTransaction(name, transactions, this).call(() -> inTransaction(name, settings, refused -> {
                throw new BusyInOwnTransaction(refused);
            }, body));
        } catch (BusyInOwnTransaction busy) {
            if (busy.getSuppressed().length > 0) { // that transaction may still be there
                LockBusyException failure = busy(busy.refused);
                failure.addSuppressed(busy.getSuppressed()[0]);
                throw failure;
            }
            return whenBusy.instead(busy.refused);
        }
    }

    /** Ends the transaction begun for a lock that is busy: what is called instead of the body must not run in it. */
    private static final class BusyInOwnTransaction extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient LockHold refused;

        BusyInOwnTransaction(LockHold refused) {
            super(null, null, true, false);
            this.refused = refused;
        }
    }

    private <T> @Nullable T inTransaction(String name, HoldSettings settings, WhenBusy<T> whenBusy, Callable<T> body)
            throws Exception {
        LockHold enclosing = scopes.enclosing(name, settings);
        TransactionBond bond = bond(name);
        if (enclosing != null && (bond == null || bond.hold == enclosing)) {
            if (bond == null) {
                checkAtCommit(enclosing);
            }
            return scopes.again(enclosing, body);
        }
        if (bond != null && bond.hold.enter()) {
            return run(bond, body);
        }
        TransactionBond taken = take(name, settings);
        return taken.hold.refused() ? whenBusy.instead(taken.hold) : run(taken, body);
    }

    private <T> T run(TransactionBond bond, Callable<T> body) throws Exception {
        bond.bodyBegins();
        try {
            return scopes.run(bond.hold, body);
        } finally {
            bond.bodyEnds();
        }
    }

    /** The lock is in a transaction around the current one, which looks once, however often it takes the lock again. */
    private void checkAtCommit(LockHold enclosing) {
        var check = new LossCheck(enclosing, validity);
        if (transactions.find(check) == null) {
            transactions.register(check);
            transactions.keep(check, check);
        }
    }

    /** Keeps a transaction from committing work done after the enclosing lock was lost. Equal for the same hold. */
    private record LossCheck(LockHold hold, Validity validity) implements LockTransactions.Completion {

        @Override
        public void beforeCommit() {
            if (hold.failsOnLoss() && !validity.validOrConfirmed(hold)) {
                throw validity.failure(hold);
            }
        }

        @Override
        public void ended(boolean committed) {
            // the lock is not this transaction's
        }
    }

    // --- commits that fail

    /** The exception to fail with when the body succeeded but the commit of a transaction with this lock failed. */
    public Exception commitFailed(String name, Exception failure) {
        for (Throwable cause : Causes.of(failure)) {
            for (Throwable each : withSuppressed(cause)) {
                if (each instanceof LockLostException loss) {
                    return loss;
                }
            }
        }
        return backend
                .isLoss(failure)
                        ? new LockLostException(name,
                                "Lock '" + PrintableName.of(name) + "' was lost with the connection of its "
                                        + "transaction, and it is not known whether that was committed: check before you "
                                        + "repeat what was done in it",
                                failure)
                        : failure;
    }

    private static Iterable<Throwable> withSuppressed(Throwable failure) {
        var all = new java.util.ArrayList<Throwable>();
        all.add(failure);
        all.addAll(java.util.Arrays.asList(failure.getSuppressed()));
        return all;
    }
}
