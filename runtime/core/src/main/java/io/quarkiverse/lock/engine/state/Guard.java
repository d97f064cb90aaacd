package io.quarkiverse.lock.engine.state;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * A mutex for short critical sections. It has no owner and is not reentrant, which makes it as small as possible. Not
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
