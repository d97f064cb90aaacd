package io.quarkiverse.lock.runtime.config;

import java.time.Duration;

import io.quarkiverse.lock.LockOptions;
import io.quarkus.runtime.configuration.DurationConverter;

/** Reads durations in the format of {@code @Scheduled} and the configuration, with the bounds of each use. */
public final class Durations {

    private static final String FORMAT = "; write 10s, 500ms, 2m, 1h, PT1H30M or a number of seconds";

    /** Half of the longest lease. */
    private static final Duration LONGEST_LINGER = Duration.ofHours(12);

    private Durations() {
    }

    /** @throws IllegalArgumentException with what is wrong with the text, and what would be right */
    public static Duration parse(String text) {
        Duration duration;
        try {
            duration = DurationConverter.parseDuration(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a duration" + FORMAT, e);
        }
        if (duration == null) {
            throw new IllegalArgumentException("a blank text is not a duration" + FORMAT);
        }
        return duration;
    }

    public static Duration parseWait(String text) {
        return checkWait(parse(text));
    }

    public static Duration parseLease(String text) {
        return LockOptions.checkLease(parse(text));
    }

    public static Duration parseMaxHold(String text) {
        return checkMaxHold(parse(text));
    }

    public static Duration parseHoldAtLeast(String text) {
        return LockOptions.checkHoldAtLeast(parse(text));
    }

    public static Duration parseLinger(String text) {
        return checkLinger(parse(text));
    }

    public static Duration checkLinger(Duration linger) {
        if (linger.isNegative() || linger.compareTo(LONGEST_LINGER) > 0) {
            throw new IllegalArgumentException("linger must be between 0 and 12 hours, but is " + linger);
        }
        return linger;
    }

    /**
     * A lock that lingers for longer could come too close to the end of its lease, which is not renewed meanwhile, and a longer
     * margin would leave its holder too little of the lease.
     */
    public static boolean moreThanHalf(Duration part, Duration lease) {
        return part.compareTo(lease.dividedBy(2)) > 0;
    }

    public static Duration checkWait(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait must not be negative, but is " + wait);
        }
        return wait;
    }

    public static Duration checkMaxHold(Duration maxHold) {
        if (maxHold.isNegative() || maxHold.isZero()) {
            throw new IllegalArgumentException("max-hold must be positive, but is " + maxHold);
        }
        return maxHold;
    }

    /** The duration in nanoseconds; for durations of centuries, a number that can still be added to a clock. */
    public static long nanos(Duration duration) {
        return duration.getSeconds() > 4_000_000_000L ? Long.MAX_VALUE / 2 : duration.toNanos();
    }
}
