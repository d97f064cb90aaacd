package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
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

/**
 * Blocking code under a lock, and its nesting: a scope belongs to the thread that runs its body, and code inside it that asks
 * for the same name goes through.
 */
public final class Scopes {

    /**
     * The holds of the scopes that a thread is in, the innermost last. Kept by the thread and not by the holds, since one hold
     * may be entered by several threads. Not static: it ends with the engine.
     */
    private final ThreadLocal<OpenScopes> open = ThreadLocal.withInitial(OpenScopes::new);

    private final NameTable names;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final BlockingRelease release;

    public Scopes(NameTable names, Validity validity, HoldNotifier notifier, BlockingRelease release) {
        this.names = names;
        this.validity = validity;
        this.notifier = notifier;
        this.release = release;
    }

    /**
     * The live hold of this name in whose scope the current thread is; {@code null} if there is none.
     *
     * @throws IllegalStateException if it is not enough for what is wanted
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

    /** The hold in whose scope the current thread is, the innermost of them; {@code null} if there is none. */
    public @Nullable LockHold innermost() {
        List<LockHold> holds = open.get().holds();
        return holds.isEmpty() ? null : holds.get(holds.size() - 1);
    }

    /** {@link #holds}, as they are now: for a look on the current thread, not to be kept. */
    public List<LockHold> around() {
        return open.get().holds();
    }

    /** The holds in whose scope the current thread is, the innermost last. */
    public List<LockHold> holds() {
        return List.copyOf(open.get().holds());
    }

    /**
     * Runs the callback on a thread for news when one of the holds is lost in whose scope the current thread is; each time that
     * happens. Those around the innermost scope forget it when that ends, since they may have many more inside them.
     *
     * @return whether there is any
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

    /** The hold of this name in whose scope the current thread is, even if it has been lost; {@code null} if there is none. */
    public @Nullable LockHold innermost(String name) {
        List<LockHold> holds = open.get().holds();
        for (int i = holds.size() - 1; i >= 0; i--) {
            if (holds.get(i).name().equals(name)) {
                return holds.get(i);
            }
        }
        return null;
    }

    /** Adds the fencing tokens of the holds in whose scope the current thread is, by name; lost ones have theirs still. */
    public void addTokens(Map<String, Long> tokens) {
        List<LockHold> holds = open.get().holds();
        for (int i = holds.size() - 1; i >= 0; i--) {
            tokens.putIfAbsent(holds.get(i).name(), holds.get(i).fencingToken());
        }
    }

    /**
     * A hold that was made by the current thread, belongs to a transaction, and does not let one like {@code wanted} beside it;
     * {@code null} if there is none.
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

    private static @Nullable LockHold ownTransactionInTheWay(NameQueue queue, HoldSettings wanted) {
        for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
            for (LockHold hold : lease.holders()) {
                if (hold.madeByCurrentThread() && hold.boundToTransaction()
                        && (wanted.limit() == 1 || !hold.settings.goesWith(wanted))) {
                    return hold;
                }
            }
        }
        return null;
    }

    /** Whether somebody has asked for any of the holds in whose scope this thread is. */
    public boolean askedFor() {
        for (LockHold hold : open.get().holds()) {
            if (hold.askedFor()) {
                return true;
            }
        }
        return false;
    }

    /** Runs a body in the scope of a hold, and leaves the hold to the caller. */
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

    /** {@link #within(LockHold, Callable)}, of each of them. */
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
     * Runs a body in the scope of a hold that was just acquired, or of each of several, the first one outermost, and gives them
     * back: at once, or when other users of a hold have left it too. Those whose scope it is already stay around.
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
     * Runs a body inside the scope of this hold once more, and has it fail as the outermost body does when the lock has been
     * lost by its end. What else the body fails with is left to the outermost one.
     */
    public <T> T again(LockHold hold, Callable<T> body) throws Exception {
        T result;
        OpenScopes here = open.get();
        here.beginAgain();
        try {
            result = body.call();
        } catch (Exception bodyFailure) {
            if (hold.interrupt != null && hold.interrupt.causesNow(bodyFailure)) {
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

    /** The first half of {@link #run}, for bodies that are no {@code Callable}; {@link #end} must follow on this thread. */
    public void begin(LockHold hold) {
        push(hold);
        if (hold.interruptsOnLoss()) {
            hold.interrupt = LossInterrupt.of(notifier.lossNews(hold));
        }
    }

    /**
     * The second half of {@link #run}.
     *
     * @param bodyFailure what the body has thrown and the caller is going to throw; gets what else goes wrong as suppressed
     * @throws LockLostException if the lock was lost, and the body has not failed, or only because it was interrupted for that
     */
    public void end(LockHold hold, @Nullable Throwable bodyFailure) {
        pop();
        hold.bodyEnded();
        boolean lost = validity.lostForGood(hold);
        RuntimeException releaseFailure = release.leave(hold);
        lost |= hold.markedLost(); // as the release may have found
        if (bodyFailure != null && hold.interrupt != null && hold.interrupt.caused(bodyFailure)) {
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

    /** The scopes that one thread is in, one inside the other. */
    private static final class OpenScopes {

        private final List<LockHold> holds = new ArrayList<>();
        /** Scopes of a hold that is in the list already count, too. */
        private int depth;
        private @Nullable List<Listening> listening;

        /** Somebody in the scope of that depth who is to hear of losses. */
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

        void end() {
            holds.remove(holds.size() - 1);
            endAgain();
        }

        /** A scope of a hold that is in the list already. */
        void beginAgain() {
            depth++;
        }

        void endAgain() {
            depth--;
            if (listening != null) {
                forgetInner(listening);
            }
        }

        /** The listener has been added to all holds in the list. */
        void listensUntilEnd(LossNews.Listener listener) {
            if (listening == null) {
                listening = new ArrayList<>(1);
            }
            listening.add(new Listening(listener, depth));
        }

        /** Not by the hold whose scope has ended: its loss may still be found by its release, and it ends with that anyway. */
        private void forgetInner(List<Listening> all) {
            for (int i = all.size() - 1; i >= 0 && all.get(i).depth > depth; i--) {
                for (LockHold hold : holds) {
                    if (!hold.markedLost()) { // else it was lost before, and is about to tell that
                        hold.stopTelling(all.get(i).listener);
                    }
                }
                all.remove(i);
            }
        }
    }
}
