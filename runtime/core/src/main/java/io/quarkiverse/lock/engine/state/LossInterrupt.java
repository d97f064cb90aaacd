package io.quarkiverse.lock.engine.state;

import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;

/**
 * Interrupts the thread of a body when its lock is lost, and only while the body runs: an interrupt that is being
 * delivered when the body ends is waited for and taken back.
 */
public final class LossInterrupt extends AtomicInteger implements LossNews.Listener {

    private static final long serialVersionUID = 1L;

    private static final int BODY_RUNS = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int BODY_ENDED = 3;

    private final transient Thread thread = Thread.currentThread();
    /** Used by the body's thread alone. */
    private boolean delivered;

    public static LossInterrupt of(LossNews news) {
        LossInterrupt interrupt = new LossInterrupt();
        news.add(interrupt);
        return interrupt;
    }

    @Override
    public void lost(LockLostException loss) {
        deliver();
    }

    /** A second time does nothing. */
    void deliver() {
        if (compareAndSet(BODY_RUNS, INTERRUPTING)) {
            thread.interrupt();
            set(INTERRUPTED);
        }
    }

    /** By the body's thread; a second time is none. */
    void bodyEnded() {
        if (get() == BODY_ENDED || compareAndSet(BODY_RUNS, BODY_ENDED)) {
            return;
        }
        while (get() != INTERRUPTED) {
            Thread.onSpinWait();
        }
        Thread.interrupted(); // ours
        delivered = true;
        set(BODY_ENDED);
    }

    /** Whether this is what the body made of the interrupt, and so says nothing but that the lock was lost. */
    public boolean caused(Throwable bodyFailure) {
        return delivered && isInterruption(bodyFailure);
    }

    /** {@link #caused}, of a part of the body, which goes on. */
    public boolean causesNow(Throwable failure) {
        int now = get(); // the interrupted thread may be quicker than the one that has interrupted it
        return (now == INTERRUPTING || now == INTERRUPTED) && isInterruption(failure);
    }

    private static boolean isInterruption(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof LockInterruptedException;
    }
}
