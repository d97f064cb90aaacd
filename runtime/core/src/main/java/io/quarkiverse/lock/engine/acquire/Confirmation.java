package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.atomic.AtomicBoolean;

/** Confirms several holds with the backend. */
final class Confirmation implements UnderWay {

    private final AtomicBoolean settled = new AtomicBoolean();

    boolean settles() {
        return settled.compareAndSet(false, true);
    }

    @Override
    public boolean cancel() {
        return settles();
    }
}
