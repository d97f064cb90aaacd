package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import io.quarkiverse.lock.spi.LockBackend;

/** How long to wait for a backend's answer. */
public final class Patience {

    /** The backend itself fails an operation at its timeout, and says why: that answer has to arrive, too. */
    private static final Duration MORE = Duration.ofMillis(500);

    private Patience() {
    }

    public static Duration with(LockBackend backend) {
        return backend.operationTimeout().plus(MORE);
    }
}
