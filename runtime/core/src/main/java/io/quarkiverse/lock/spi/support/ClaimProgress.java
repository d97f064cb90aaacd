package io.quarkiverse.lock.spi.support;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;

/**
 * For backends: the progress of a claim that asks its store step by step. At most one step runs at a time, only the first end
 * of the claim counts, and it is undone at most once. Thread-safe, and everything here is short: nothing under the lock waits
 * for a step, a subscriber or an answer of the store.
 */
public final class ClaimProgress {

    /** What follows a step. */
    public enum Next {
        /** Its answer is the claim's. */
        ANSWER,
        /** Another step was requested while it ran. */
        AT_ONCE,
        /** The claim ended while it ran. */
        UNDO,
        LATER
    }

    private final LockTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean running;
    private boolean askAgain;
    private boolean over;
    private boolean undoBegun;
    private boolean undoing;
    private LockTime.@Nullable Timer next;
    private LockTime.@Nullable Timer patience;

    public ClaimProgress(LockTime time) {
        this.time = time;
    }

    public boolean over() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    public void endAfter(long nanos, Runnable end) {
        lock.lock();
        try {
            if (!over) {
                patience = time.schedule(nanos, end);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether to run the next step now; if one is already running, the next follows it. */
    public boolean begin() {
        lock.lock();
        try {
            if (over) {
                return false;
            }
            cancelNext();
            askAgain = running;
            running = true;
            return !askAgain;
        } finally {
            lock.unlock();
        }
    }

    /** After {@link #begin}: the step is done. If it was not the last, {@code later} runs after {@code delay}. */
    public Next ended(boolean last, long delay, Runnable later) {
        lock.lock();
        try {
            running = false;
            if (over) {
                return Next.UNDO;
            }
            if (last) {
                finish();
                return Next.ANSWER;
            }
            if (askAgain) {
                return Next.AT_ONCE;
            }
            next = time.schedule(delay, later);
            return Next.LATER;
        } finally {
            lock.unlock();
        }
    }

    /** The claim has ended other than by a step. False if it had already ended. */
    public boolean end() {
        lock.lock();
        try {
            return !over && finish();
        } finally {
            lock.unlock();
        }
    }

    /** True once: something of the claim may have to be undone. */
    public boolean beginUndo() {
        lock.lock();
        try {
            return !undoBegun && (undoBegun = true);
        } finally {
            lock.unlock();
        }
    }

    /** True once, when it must be undone and no running step might still do something. */
    public boolean undo() {
        lock.lock();
        try {
            return !running && undoBegun && !undoing && (undoing = true);
        } finally {
            lock.unlock();
        }
    }

    private boolean finish() {
        over = true;
        cancelNext();
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
        return true;
    }

    private void cancelNext() {
        if (next != null) {
            next.cancel();
            next = null;
        }
    }
}
