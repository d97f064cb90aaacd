package io.quarkiverse.lock.engine.state;

import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;

/**
 * Interrupts a body's thread when its lock is lost, but only while the body runs: if an interrupt is being delivered when the
 * body ends, it is awaited and cleared.
 */
public final class LossInterrupt extends AtomicInteger implements LossNews.Listener {

    private static final long serialVersionUID = 1L;

    private static final int BODY_RUNS = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int BODY_ENDED = 3;

    private final transient LossNews news;
    private final transient Thread thread = Thread.currentThread();
    /** Used by the body's thread alone. */
    private boolean delivered;

    private LossInterrupt(LossNews news) {
        this.news = news;
    }

    /** For a body that begins on the current thread, under the hold that the news is about. */
    public static LossInterrupt of(LossNews news) {
        LossInterrupt interrupt = new LossInterrupt(news);
        news.add(interrupt);
        return interrupt;
    }

    @Override
    public void lost(LockLostException loss) {
        deliver();
    }

    /** A second call does nothing. */
    void deliver() {
        if (compareAndSet(BODY_RUNS, INTERRUPTING)) {
            thread.interrupt();
            set(INTERRUPTED);
        }
    }

    /**
     * From now on, a loss does not interrupt the thread, and an interrupt already caused by one is cleared. Called by the
     * body's thread; a second call does nothing.
     */
    public void bodyEnded() {
        news.remove(this);
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

    /** Whether the body's failure only comes from the interrupt, and so says no more than that the lock was lost. */
    public boolean caused(Throwable bodyFailure) {
        return delivered && isInterruption(bodyFailure);
    }

    /** {@link #caused}, for a part of the body, which continues. */
    public boolean causesNow(Throwable failure) {
        int now = get(); // the interrupted thread may be quicker than the interrupting one
        return (now == INTERRUPTING || now == INTERRUPTED) && isInterruption(failure);
    }

    private static boolean isInterruption(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof LockInterruptedException;
    }
}
