package io.quarkiverse.lock.spi.support;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;

/**
 * For backends: how far a claim is that asks its store step by step. At most one step runs, only the first end of the claim
 * counts, and it is undone once. Any thread, and everything here is short: no step, no subscriber and no answer of the store is
 * waited for under the lock.
 */
public final class ClaimProgress {

    /** What follows a step. */
    public enum Next {
        /** Its answer is the claim's. */
        ANSWER,
        /** It was asked for while it ran. */
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

    /** Whether the next step is to be run now; if one runs already, it comes after that one. */
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

    /** After {@link #begin}: the step is done. {@code later} is asked in {@code delay} if it was not the last. */
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

    /** The claim has ended otherwise than by a step. False if it had before. */
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

    /** True once, when it is to be undone and no step runs that might do something yet. */
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
