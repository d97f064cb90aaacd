package io.quarkiverse.lock.engine.acquire;

import java.time.Duration;

import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.spi.LockTime;

/** One deadline for several waits in a row. */
public final class WaitBudget {

    private final LockTime time;
    private final HoldSettings settings;
    private final long since;
    private long askedFor;

    /** Begins now, for as long as the settings wait. */
    public WaitBudget(LockTime time, HoldSettings settings) {
        this.time = time;
        this.settings = settings;
        this.since = time.nanoTime();
    }

    /** The settings, with what is left of the wait; what is left to ask for when it is over is asked for once. */
    public HoldSettings left() {
        long left = settings.waitNanos() - (time.nanoTime() - since);
        return settings.withWait(Duration.ofNanos(Math.max(0, left)));
    }

    public boolean over() {
        return time.nanoTime() - since >= settings.waitNanos();
    }

    /** All were asked for in one step, in vain and for so long: the wait for the one that is asked for next goes on. */
    void askedFor(long nanos) {
        askedFor = nanos;
    }

    /** For how long what is asked for now has been asked for already. Says so once: the wait for what comes after it is new. */
    long takeAskedFor() {
        long nanos = askedFor;
        askedFor = 0;
        return nanos;
    }
}
