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

    /** Starts now, for the wait of the settings. */
    public WaitBudget(LockTime time, HoldSettings settings) {
        this(time, settings, time.nanoTime());
    }

    /** @param since when the wait began */
    WaitBudget(LockTime time, HoldSettings settings, long since) {
        this.time = time;
        this.settings = settings;
        this.since = since;
    }

    /** The settings with the rest of the wait; after that, what remains is asked for only once. */
    public HoldSettings left() {
        long left = settings.waitNanos() - (time.nanoTime() - since);
        return settings.withWait(Duration.ofNanos(Math.max(0, left)));
    }

    public boolean over() {
        return time.nanoTime() - since >= settings.waitNanos();
    }

    /** All names were asked for in one step, in vain, which took this long: the wait for the next name includes that time. */
    void askedFor(long nanos) {
        askedFor = nanos;
    }

    /** How long the next name has already been asked for. Returned only once: the wait for the name after it starts afresh. */
    long takeAskedFor() {
        long nanos = askedFor;
        askedFor = 0;
        return nanos;
    }
}
