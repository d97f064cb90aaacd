package io.quarkiverse.lock.runtime.config;

import io.quarkiverse.lock.Locked.OnLost;

/** What happens to a running method whose lock is lost: the values of {@link OnLost} that can be configured. */
public enum LostLock {
    /** The call fails. */
    FAIL(OnLost.FAIL),
    /** The call fails, and the thread of a blocking method is interrupted. */
    INTERRUPT(OnLost.INTERRUPT),
    /** The method continues. */
    NOTIFY(OnLost.NOTIFY);

    private final OnLost onLost;

    LostLock(OnLost onLost) {
        this.onLost = onLost;
    }

    public OnLost onLost() {
        return onLost;
    }
}
