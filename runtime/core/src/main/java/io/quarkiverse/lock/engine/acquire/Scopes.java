package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossInterrupt;
import io.quarkiverse.lock.engine.state.LossNews;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.thread.CallerThreads;

/**
 * Blocking code under a lock, and its nesting: a scope belongs to the thread that runs its body; code inside it may take the
 * same name again.
 */
public final class Scopes {

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

    /** The innermost hold whose scope the current thread is in; {@code null} if there is none. */
    public @Nullable LockHold innermost() {
        List<LockHold> holds = open.get().holds();
        return holds.isEmpty() ? null : holds.get(holds.size() - 1);
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
     * Runs the callback on a news thread for each loss of a hold whose scope the current thread is in. When the innermost scope
     * ends, the outer ones drop the callback, since many more inner scopes may follow.
     *
     * @return whether there is any such hold
     */
    public boolean onLost(Runnable callback) {
        OpenScopes here = open.get();
        if (here.holds().isEmpty()) {
            return false;
        }
        LossNews.Listener listener = loss -> notifier.run(callback, loss);
        for (LockHold hold : here.holds()) {
            notifier.lossNews(hold).add(listener);
        }
        here.listensUntilEnd(listener);
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

    /** Runs a body in the scope of a hold; the caller remains responsible for the hold. */
    public <T> T within(LockHold hold, Callable<T> body) throws Exception {
        if (inside(hold)) {
            return body.call();
        }
        push(hold);
        try {
            return body.call();
        } finally {
            pop();
        }
    }

    /** {@link #within(LockHold, Callable)}, for each of them. */
    public <T> T within(Held held, int from, Callable<T> body) throws Exception {
        return from == held.size() ? body.call() : within(held.get(from), () -> within(held, from + 1, body));
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
        return run(held, 0, body);
    }

    private <T> T run(Held held, int from, Callable<T> body) throws Exception {
        LockHold hold = held.get(from);
        Callable<T> inner = from + 1 == held.size() ? body : () -> run(held, from + 1, body);
        if (inside(hold)) {
            try {
                return again(hold, inner);
            } finally {
                release.leave(hold);
            }
        }
        begin(hold);
        T result;
        try {
            result = inner.call();
        } catch (Throwable bodyFailure) {
            end(hold, bodyFailure);
            throw bodyFailure;
        }
        end(hold, null);
        return result;
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
            result = body.call();
        } catch (Exception bodyFailure) {
            LossInterrupt interrupt = here.interrupt(hold);
            if (interrupt != null && interrupt.causesNow(bodyFailure)) {
                throw lossBy(hold, bodyFailure);
            }
            throw bodyFailure;
        } finally {
            here.endAgain();
        }
        if (hold.failsOnLoss() && validity.lostForGood(hold)) {
            throw hold.loss();
        }
        return result;
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
     *         it
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
            suppress(bodyFailure, releaseFailure);
            suppress(bodyFailure, lost && !hold.isLoss(bodyFailure) ? hold.loss() : null);
        } else if (lost && hold.settings.onLost() != OnLost.NOTIFY) {
            throw hold.loss();
        }
    }

    private static LockLostException lossBy(LockHold hold, Throwable interruption) {
        LockLostException loss = hold.loss();
        loss.addSuppressed(interruption);
        return loss;
    }

    private static void suppress(Throwable primary, @Nullable Throwable other) {
        if (other != null && other != primary) {
            primary.addSuppressed(other);
        }
    }

    /** The nested scopes that one thread is in. */
    private static final class OpenScopes {

        private final List<LockHold> holds = new ArrayList<>();
        /** Also counts scopes of a hold that is already in the list. */
        private int depth;
        private @Nullable List<Listening> listening;
        /** For those in the list whose loss interrupts this thread, in the same order. */
        private final List<Interruptible> interrupts = new ArrayList<>(0);

        /** A scope whose hold's loss interrupts this thread. */
        private record Interruptible(LockHold hold, LossInterrupt interrupt) {
        }

        /** A listener for losses in the scope of that depth. */
        private record Listening(LossNews.Listener listener, int depth) {
        }

        /** The innermost last. */
        List<LockHold> holds() {
            return holds;
        }

        void begin(LockHold hold) {
            holds.add(hold);
            depth++;
        }

        /** Ends the innermost scope; returns its interrupt, which must end too. */
        @Nullable
        LossInterrupt end() {
            LockHold ended = holds.remove(holds.size() - 1);
            endAgain();
            Interruptible last = interrupts.isEmpty() ? null : interrupts.get(interrupts.size() - 1);
            if (last == null || last.hold != ended) {
                return null;
            }
            interrupts.remove(interrupts.size() - 1);
            return last.interrupt;
        }

        void interruptUntilEnd(LockHold hold, LossInterrupt interrupt) {
            interrupts.add(new Interruptible(hold, interrupt));
        }

        @Nullable
        LossInterrupt interrupt(LockHold hold) {
            for (int i = interrupts.size() - 1; i >= 0; i--) {
                if (interrupts.get(i).hold == hold) {
                    return interrupts.get(i).interrupt;
                }
            }
            return null;
        }

        /** Begins a scope of a hold that is already in the list. */
        void beginAgain() {
            depth++;
        }

        void endAgain() {
            depth--;
            if (listening != null) {
                forgetInner(listening);
            }
        }

        /** Registers a listener that has been added to all holds in the list. */
        void listensUntilEnd(LossNews.Listener listener) {
            if (listening == null) {
                listening = new ArrayList<>(1);
            }
            listening.add(new Listening(listener, depth));
        }

        /**
         * The hold whose scope has just ended keeps its listener: its release may still find a loss, and after that the hold is
         * over anyway.
         */
        private void forgetInner(List<Listening> all) {
            for (int i = all.size() - 1; i >= 0 && all.get(i).depth > depth; i--) {
                for (LockHold hold : holds) {
                    if (!hold.markedLost()) { // else it was already lost, and is about to report that
                        hold.stopTelling(all.get(i).listener);
                    }
                }
                all.remove(i);
            }
        }
    }
}
