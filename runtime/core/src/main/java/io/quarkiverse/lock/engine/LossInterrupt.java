package io.quarkiverse.lock.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Interrupts the thread of a body when its lock is lost, and only while the body runs: an interrupt that is being delivered
 * when
 * the body ends is waited for and taken back.
 */
final class LossInterrupt extends AtomicInteger {

    private static final long serialVersionUID = 1L;

    private static final int BODY_RUNS = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int BODY_ENDED = 3;

    private final transient Thread thread = Thread.currentThread();

    static LossInterrupt of(Hold hold) {
        LossInterrupt interrupt = new LossInterrupt();
        hold.lost().thenRun(interrupt::deliver);
        return interrupt;
    }

    private void deliver() {
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
        set(BODY_ENDED);
    }
}
