package io.quarkiverse.lock.jpa.claim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * When a waiting claim looks again, in ns, jittered: claims that wait for the same name must not look all at once. Those near
 * the head of the line look often, the others the more seldom the farther away they are: what a name costs must not grow with
 * how many wait for it.
 */
public final class PollingPace {

    /** The head, and who is the head as soon as that one has had its turn. */
    private static final int NEAR = 2;
    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LAST_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int FAR_DOUBLINGS = 5;
    private static final long LONGEST_EXPIRY_MICROS = TimeUnit.SECONDS.toMicros(2);

    private long look = FIRST_LOOK;
    private int ahead;
    private long seenAt;

    /** Whether it could soon be the turn of a claim with so many before it. */
    public static boolean near(int ahead) {
        return ahead < NEAR;
    }

    /**
     * When nothing is told. Near the head: often at first, seldom later. Else when half of those before it will have had their
     * turn, if the line goes on as it did since the last look.
     *
     * @param nowAhead how many wait before it
     * @param now {@link System#nanoTime()}
     */
    public long untilLook(int nowAhead, long now) {
        int gone = ahead - nowAhead;
        long since = now - seenAt;
        boolean first = seenAt == 0;
        ahead = nowAhead;
        seenAt = now;
        if (near(nowAhead)) {
            long next = look;
            look = Math.min(LAST_LOOK, look + look / 2);
            return jittered(next);
        }
        look = FIRST_LOOK;
        long seldom = LAST_LOOK << Math.min(nowAhead - 1, FAR_DOUBLINGS);
        return jittered(first || gone <= 0 ? seldom
                : Math.min(seldom, Math.max(FIRST_LOOK, since / gone * (nowAhead - 1) / 2)));
    }

    /** When it is told that the holder gives it back, but not that its lease has ended, which it does in so many µs. */
    public long untilExpiry(long micros) {
        long expiry = TimeUnit.MICROSECONDS.toNanos(Math.min(micros, LONGEST_EXPIRY_MICROS));
        return (expiry > 0 ? expiry : LAST_LOOK) + random(LAST_LOOK);
    }

    public long afterFailure() {
        return TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180));
    }

    private static long jittered(long nanos) {
        return nanos / 2 + random(nanos / 2 + 1);
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
    }
}
