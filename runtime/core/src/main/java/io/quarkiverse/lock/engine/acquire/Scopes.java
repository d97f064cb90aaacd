package io.quarkiverse.lock.engine.acquire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.Causes;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossInterrupt;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.thread.CallerThreads;

/**
 * Blocking code under a lock, and its nesting: a scope belongs to the thread that runs its body; code inside it may take the
 * same name again.
 */
public final class Scopes {

    /** By its name, since not every application has this class. */
    private static final String REFUSED_COMMIT = "jakarta.transaction.RollbackException";

    /**
     * The holds of a thread's open scopes, the innermost last. Kept per thread and not per hold, since several threads may
     * enter one hold. Not static: it ends with the engine.
     */
    private final ThreadLocal<OpenScopes> open = ThreadLocal.withInitial(OpenScopes::new);

    private final CallerThreads threads;
    private final NameTable names;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final BlockingRelease release;

    public Scopes(CallerThreads threads, NameTable names, Validity validity, HoldNotifier notifier, BlockingRelease release) {
        this.threads = threads;
        this.names = names;
        this.validity = validity;
        this.notifier = notifier;
        this.release = release;
    }

    /**
     * The live hold of this name whose scope encloses the current code; {@code null} if there is none.
     *
     * @throws IllegalStateException if it does not cover what is wanted
     */
    public @Nullable LockHold enclosing(String name, HoldSettings wanted) {
        List<LockHold> holds = open.get().holds();
        for (int i = holds.size() - 1; i >= 0; i--) {
            LockHold hold = holds.get(i);
            if (hold.name().equals(name) && hold.live() && !validity.lostForGood(hold)) {
                hold.settings.checkCovers(wanted, name);
                return hold;
            }
        }
        return null;
    }

    /** What the innermost call runs under whose scope the current thread is in; {@code null} if there is none. */
    public @Nullable Held innermost() {
        return open.get().innermost();
    }

    /** {@link #holds} as a live view: only to be read on the current thread, not to be kept. */
    public List<LockHold> around() {
        return open.get().holds();
    }

    /** The holds whose scopes the current thread is in, the innermost last. */
    public List<LockHold> holds() {
        return List.copyOf(open.get().holds());
    }

    /**
     * Runs the callback on a news thread when the first hold is lost whose scope the current thread is in. When the innermost
     * scope ends, the outer ones drop the callback, since many more inner scopes may follow.
     *
     * @return whether there is any such hold
     */
    public boolean onLost(Runnable callback) {
        OpenScopes here = open.get();
        if (here.holds().isEmpty()) {
            return false;
        }
        CompletableFuture<LockLostException> lost = new CompletableFuture<>();
        lost.thenAccept(loss -> notifier.run(callback, loss));
        for (LockHold hold : here.holds()) {
            notifier.lossNews(hold).add(lost);
        }
        here.listensUntilEnd(lost);
        return true;
    }

    /** The hold of this name whose scope the current thread is in, even if it has been lost; {@code null} if there is none. */
    public @Nullable LockHold innermost(String name) {
        List<LockHold> holds = open.get().holds();
        for (int i = holds.size() - 1; i >= 0; i--) {
            if (holds.get(i).name().equals(name)) {
                return holds.get(i);
            }
        }
        return null;
    }

    /** The fencing tokens of the holds whose scopes the current thread is in, by name; lost holds keep theirs. */
    public Map<String, Long> tokens() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        List<LockHold> holds = open.get().holds();
        for (int i = holds.size() - 1; i >= 0; i--) {
            tokens.putIfAbsent(holds.get(i).name(), holds.get(i).fencingToken());
        }
        return tokens;
    }

    /**
     * A hold that the current thread made within its current work, that belongs to a transaction, and that excludes one like
     * {@code wanted}; {@code null} if there is none.
     */
    public @Nullable LockHold ownTransactionInTheWay(String name, HoldSettings wanted) {
        NameQueue queue = names.ifKnown(name);
        LockHold inLine = queue == null ? null : ownTransactionInTheWay(queue, wanted);
        if (inLine != null) {
            return inLine;
        }
        for (NameQueue apart : names.apartOf(name)) {
            LockHold hold = ownTransactionInTheWay(apart, wanted);
            if (hold != null) {
                return hold;
            }
        }
        return null;
    }

    private @Nullable LockHold ownTransactionInTheWay(NameQueue queue, HoldSettings wanted) {
        for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
            for (LockHold hold : lease.holders()) {
                if (hold.madeByCurrentThread() && hold.boundIn() == threads.work()
                        && (wanted.limit() == 1 || !hold.settings.goesWith(wanted))) {
                    return hold;
                }
            }
        }
        return null;
    }

    /** Whether somebody has asked for any hold whose scope this thread is in. */
    public boolean askedFor() {
        for (LockHold hold : open.get().holds()) {
            if (hold.askedFor()) {
                return true;
            }
        }
        return false;
    }

    /** Runs a body in the scope of a hold, or of each of several; the caller remains responsible for them. */
    public <T> T within(Held held, Callable<T> body) throws Exception {
        int opened = 0;
        try {
            for (int i = 0; i < held.size(); i++) {
                if (!inside(held.get(i))) {
                    push(held.get(i));
                    opened++;
                }
            }
            return open.get().call(held, body);
        } finally {
            for (; opened > 0; opened--) {
                pop();
            }
        }
    }

    /** Whether the current thread is in the scope of this very hold. */
    public boolean inside(LockHold hold) {
        return open.get().holds().contains(hold);
    }

    private void push(LockHold hold) {
        open.get().begin(hold);
    }

    private void pop() {
        open.get().end();
    }

    /**
     * Runs a body in the scope of a hold that was just acquired, or of each of several, the first one outermost. Gives them
     * back at once, or when other users of a hold have left it too. Holds whose scope is already open are kept.
     */
    public <T> T run(Held held, Callable<T> body) throws Exception {
        OpenScopes here = open.get();
        int outer = here.holds().size();
        int entered = 0;
        T result;
        try {
            for (; entered < held.size(); entered++) { // not nested calls: there may be more names than fit on a stack
                enter(here, held.get(entered));
            }
            result = here.call(held, body);
        } catch (Throwable failure) {
            leave(here, outer, held, entered, failure);
            throw failure;
        }
        leave(here, outer, held, entered, null);
        return result;
    }

    private void enter(OpenScopes here, LockHold hold) {
        if (inside(hold)) {
            here.beginAgain();
        } else {
            begin(hold);
        }
    }

    /**
     * Leaves all of them, the last one first, as if the scope of each were in the body of the one before: what is thrown at the
     * end of one is the failure of the next body, and keeps none from being left.
     *
     * @param outer how many holds were in the list before
     * @param entered how many of them were entered before the failure
     */
    private void leave(OpenScopes here, int outer, Held held, int entered, @Nullable Throwable bodyFailure) {
        Throwable failure = bodyFailure;
        for (int i = held.size() - 1; i >= 0; i--) {
            LockHold hold = held.get(i);
            try {
                if (i < entered && here.begun(hold, outer)) {
                    end(hold, failure);
                } else if (i < entered) {
                    leaveAgain(hold, failure);
                } else {
                    release.leave(hold);
                }
            } catch (RuntimeException | Error instead) {
                failure = instead;
            }
        }
        if (failure == bodyFailure) {
            return;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    private void leaveAgain(LockHold hold, @Nullable Throwable bodyFailure) {
        try {
            endAgain(hold, bodyFailure);
        } finally {
            release.leave(hold);
        }
    }

    /** Runs the body of a call for several names, in the scopes of all of them, which have been entered one by one. */
    public <T> T together(Held held, Callable<T> body) throws Exception {
        return open.get().call(held, body);
    }

    /**
     * Runs a body in a nested scope of the same hold. It fails as the outermost body does if the lock has been lost by its end.
     * Other failures of the body are left to the outermost one.
     */
    public <T> T again(LockHold hold, Callable<T> body) throws Exception {
        T result;
        OpenScopes here = open.get();
        here.beginAgain();
        try {
            result = here.call(hold, body);
        } catch (Throwable bodyFailure) {
            endAgain(hold, bodyFailure);
            throw bodyFailure;
        }
        endAgain(hold, null);
        return result;
    }

    private void endAgain(LockHold hold, @Nullable Throwable bodyFailure) {
        OpenScopes here = open.get();
        here.endAgain();
        if (bodyFailure != null) {
            LossInterrupt interrupt = here.interrupt(hold);
            if (interrupt != null && interrupt.causesNow(bodyFailure)) {
                throw lossBy(hold, bodyFailure);
            }
            throwIfRefusedCommit(hold, bodyFailure);
        } else if (hold.failsOnLoss() && validity.lostForGood(hold)) {
            throw hold.loss();
        }
    }

    /** The first half of {@link #run}, for bodies that are not a {@code Callable}; {@link #end} must follow on this thread. */
    public void begin(LockHold hold) {
        push(hold);
        if (hold.interruptsOnLoss()) {
            open.get().interruptUntilEnd(hold, LossInterrupt.of(notifier.lossNews(hold)));
        }
    }

    /** From now on, a loss of this hold does not interrupt the current thread, which is about to leave the hold's scope. */
    public void bodyEnded(LockHold hold) {
        LossInterrupt interrupt = open.get().interrupt(hold);
        if (interrupt != null) {
            interrupt.bodyEnded();
        }
    }

    /**
     * The second half of {@link #run}.
     *
     * @param bodyFailure what the body has thrown and the caller will throw; further failures are added as suppressed
     * @throws LockLostException if the lock was lost, and the body has not failed, or failed only because the loss interrupted
     *         it or had a commit refused
     */
    public void end(LockHold hold, @Nullable Throwable bodyFailure) {
        LossInterrupt interrupt = open.get().end();
        if (interrupt != null) {
            interrupt.bodyEnded();
        }
        boolean lost = validity.lostForGood(hold);
        RuntimeException releaseFailure = release.leave(hold);
        lost |= hold.markedLost(); // the release may have found out
        if (bodyFailure != null && interrupt != null && interrupt.caused(bodyFailure)) {
            throw lossBy(hold, bodyFailure);
        }
        if (bodyFailure != null) {
            throwIfRefusedCommit(hold, bodyFailure);
            suppress(bodyFailure, releaseFailure);
            suppress(bodyFailure, lost && !hold.isLoss(bodyFailure) ? hold.loss() : null);
        } else if (lost && hold.settings.onLost() != OnLost.NOTIFY) {
            throw hold.loss();
        }
    }

    /** The failure of a commit that was refused because of the loss says no more than that loss, which is its cause. */
    private void throwIfRefusedCommit(LockHold hold, Throwable bodyFailure) {
        if (!hold.failsOnLoss()) {
            return;
        }
        boolean refused = false;
        for (Throwable cause : Causes.of(bodyFailure)) {
            refused |= cause.getClass().getName().equals(REFUSED_COMMIT);
            if (refused && hold.isLoss(cause)) {
                throw lossBy(hold, bodyFailure);
            }
        }
    }

    /** With what the body has thrown because of it, which may have more to tell. */
    private LockLostException lossBy(LockHold hold, Throwable bodyFailure) {
        LockLostException loss = hold.markedLost() ? hold.loss() : validity.unconfirmedFailure(hold);
        loss.addSuppressed(bodyFailure);
        return loss;
    }

    private static void suppress(Throwable primary, @Nullable Throwable other) {
        if (other != null && other != primary) {
            primary.addSuppressed(other);
        }
    }
}
