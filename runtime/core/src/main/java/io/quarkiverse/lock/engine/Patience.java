package io.quarkiverse.lock.engine;

import java.time.Duration;

/** One deadline for several waits in a row. */
public final class Patience {

    private static final Duration HARDLY = Duration.ofNanos(1);

    private final LockEngine engine;
    private final HoldSettings settings;
    private final long since;

    /** Begins now, for as long as the settings wait. */
    public Patience(LockEngine engine, HoldSettings settings) {
        this.engine = engine;
        this.settings = settings;
        this.since = engine.time().nanoTime();
    }

    /** The settings, with what is left of the wait. */
    public HoldSettings left() {
        if (settings.waitNanos() == 0) {
            return settings; // each is asked for once
        }
        long left = settings.waitNanos() - (engine.time().nanoTime() - since);
        return settings.withWait(left > 0 ? Duration.ofNanos(left) : HARDLY);
    }

    public boolean over() {
        return engine.time().nanoTime() - since >= settings.waitNanos();
    }
}
