package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossInterrupt;

/** The nested scopes that one thread is in. */
final class OpenScopes {

    private final List<LockHold> holds = new ArrayList<>();
    /** What each call is about, the innermost last: the hold that it begins or enters again, or those of several names. */
    private final List<Held> calls = new ArrayList<>();
    /** Also counts scopes of a hold that is already in the list. */
    private int depth;
    private @Nullable List<Listening> listening;
    /** For those in the list whose loss interrupts this thread, in the same order. */
    private final List<Interruptible> interrupts = new ArrayList<>(0);

    /** A scope whose hold's loss interrupts this thread. */
    private record Interruptible(LockHold hold, LossInterrupt interrupt) {
    }

    /** Completes with a loss in the scope of that depth. */
    private record Listening(CompletableFuture<LockLostException> lost, int depth) {
    }

    /** The innermost last. */
    List<LockHold> holds() {
        return holds;
    }

    /** What the innermost call is about; {@code null} outside any scope. */
    @Nullable
    Held innermost() {
        return calls.isEmpty() ? null : calls.get(calls.size() - 1);
    }

    /** Runs the body of a call whose scopes have begun, or had before. */
    <T> T call(Held held, Callable<T> body) throws Exception {
        calls.add(held);
        try {
            return body.call();
        } finally {
            calls.remove(calls.size() - 1);
        }
    }

    /** Whether the innermost hold in the list is this one, and has come after the first {@code outer}. */
    boolean begun(LockHold hold, int outer) {
        int last = holds.size() - 1;
        return last >= outer && holds.get(last) == hold;
    }

    void begin(LockHold hold) {
        holds.add(hold);
        calls.add(hold);
        depth++;
    }

    /** Ends the innermost scope; returns its interrupt, which must end too. */
    @Nullable
    LossInterrupt end() {
        LockHold ended = holds.remove(holds.size() - 1);
        calls.remove(calls.size() - 1);
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

    /** Registers a stage that has been added to the news of all holds in the list. */
    void listensUntilEnd(CompletableFuture<LockLostException> lost) {
        if (listening == null) {
            listening = new ArrayList<>(1);
        }
        listening.add(new Listening(lost, depth));
    }

    /**
     * The hold whose scope has just ended keeps its stage: its release may still find a loss, and after that the hold is
     * over anyway.
     */
    private void forgetInner(List<Listening> all) {
        for (int i = all.size() - 1; i >= 0 && all.get(i).depth > depth; i--) {
            for (LockHold hold : holds) {
                if (!hold.markedLost()) { // else it was already lost, and is about to report that
                    hold.stopTelling(all.get(i).lost);
                }
            }
            all.remove(i);
        }
    }
}
