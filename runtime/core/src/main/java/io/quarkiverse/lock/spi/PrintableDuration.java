package io.quarkiverse.lock.spi;

import java.time.Duration;

/** Durations in messages, all in the format the configuration accepts. */
public final class PrintableDuration {

    private PrintableDuration() {
    }

    /** To the millisecond: {@code 320ms}, {@code 4.501s}, {@code 1m30s}. */
    public static String of(Duration duration) {
        Duration rounded = duration.isNegative() ? Duration.ZERO : Duration.ofMillis(duration.toMillis());
        return rounded.toSeconds() > 0 ? rounded.toString().substring(2).toLowerCase() : rounded.toMillis() + "ms";
    }

    public static String ofNanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }

    /** A holder, and how long it has held the lock. */
    public static String heldBy(String owner, long nanos) {
        return owner + " for " + ofNanos(nanos);
    }
}
