package io.quarkiverse.lock.engine.state;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Keeps threads apart for moments. It knows no owner and no re-entrance, and so is the smallest that there is. No
 * {@code synchronized}, which would pin virtual threads.
 */
public class Guard extends AbstractQueuedSynchronizer {

    private static final long serialVersionUID = 1L;

    public final void lock() {
        acquire(1);
    }

    public final void unlock() {
        release(1);
    }

    @Override
    protected final boolean tryAcquire(int ignored) {
        return compareAndSetState(0, 1);
    }

    @Override
    protected final boolean tryRelease(int ignored) {
        setState(0);
        return true;
    }
}
