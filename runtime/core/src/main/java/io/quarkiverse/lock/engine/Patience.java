package io.quarkiverse.lock.engine;

import java.time.Duration;

/** One deadline for several waits in a row. */
public final class Patience {

    private final LockEngine engine;
    private final HoldSettings settings;
    private final long since;

    /** Begins now, for as long as the settings wait. */
    public Patience(LockEngine engine, HoldSettings settings) {
        this.engine = engine;
        this.settings = settings;
        this.since = engine.time().nanoTime();
    }

    /** The settings, with what is left of the wait; what is left to ask for when it is over is asked for once. */
    public HoldSettings left() {
        long left = settings.waitNanos() - (engine.time().nanoTime() - since);
        return settings.withWait(Duration.ofNanos(Math.max(0, left)));
    }

    public boolean over() {
        return engine.time().nanoTime() - since >= settings.waitNanos();
    }
}
