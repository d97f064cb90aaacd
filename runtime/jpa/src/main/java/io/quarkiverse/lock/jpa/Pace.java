package io.quarkiverse.lock.jpa;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** When a waiting claim looks again, in ns, jittered: claims that wait for the same name must not look all at once. */
final class Pace {

    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LAST_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_EXPIRY_MICROS = TimeUnit.SECONDS.toMicros(2);

    private long look = FIRST_LOOK;

    /** When nothing is told: often at first, seldom later. */
    long untilLook() {
        long next = look / 2 + random(look / 2 + 1);
        look = Math.min(LAST_LOOK, look + look / 2);
        return next;
    }

    /** When it is told that the holder gives it back, but not that its lease has ended, which it does in so many µs. */
    long untilExpiry(long micros) {
        long expiry = TimeUnit.MICROSECONDS.toNanos(Math.min(micros, LONGEST_EXPIRY_MICROS));
        return (expiry > 0 ? expiry : LAST_LOOK) + random(LAST_LOOK);
    }

    long afterFailure() {
        return TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180));
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
    }
}
