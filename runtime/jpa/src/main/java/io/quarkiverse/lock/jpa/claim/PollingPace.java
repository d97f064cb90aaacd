package io.quarkiverse.lock.jpa.claim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * When a waiting claim looks again, in ns, jittered: claims that wait for the same name must not look all at once. Those near
 * the head of the line look often, the others the more seldom the farther away they are: what a name costs must not grow with
 * how many wait for it. In a line that stands still all but the head look more seldom yet: before their turn comes, others have
 * to have theirs.
 */
public final class PollingPace {

    /** The head, and who is the head as soon as that one has had its turn. */
    private static final int NEAR = 2;
    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(5);
    /** Of those near the head, in a line that moves: a turn may be over before the next look. */
    private static final long MOVING_LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LAST_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    /** Of the second, in a line that stands still. */
    private static final long STILL_LOOK = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long STILL = TimeUnit.SECONDS.toNanos(2);
    private static final int FAR_DOUBLINGS = 5;
    private static final int FAR = 8;
    private static final long LONGEST_EXPIRY_MICROS = TimeUnit.SECONDS.toMicros(2);
    /** A message may have been lost. */
    private static final long LONGEST_SILENCE = TimeUnit.MILLISECONDS.toNanos(900);

    /** Of the others, before it is known how long each has the name. */
    private static final long SHORT_TURN = TimeUnit.MILLISECONDS.toNanos(20);

    private long look = FIRST_LOOK;
    private long farLook;
    private int ahead;
    private long seenAt;
    private long movedAt;

    /** Whether it could soon be the turn of a claim with so many before it. */
    public static boolean near(int ahead) {
        return ahead < NEAR;
    }

    /** Whether so many are before it that it need not learn at once when the line moves. */
    public static boolean far(int ahead) {
        return ahead >= FAR;
    }

    /** Whether nobody has had a turn for a while, by what {@link #untilLook} was told. */
    public boolean still() {
        return seenAt - movedAt > STILL;
    }

    /**
     * When nothing is told. Near the head: often at first, seldom later. Else when half of those before it will have had their
     * turn, if the line goes on as it did since the last look, and less and less often if it does not.
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
        if (first || gone != 0) {
            movedAt = now;
            look = FIRST_LOOK; // whoever has the turn now may be done with it soon
        }
        if (near(nowAhead)) {
            return looked(!still() ? MOVING_LOOK : nowAhead == 0 ? LAST_LOOK : STILL_LOOK);
        }
        if (still()) {
            return settled(STILL_LOOK << Math.min(nowAhead - 1, FAR_DOUBLINGS));
        }
        // Nothing is known of a line that it has just joined, which may be a quick one
        farLook = first || gone < 0 ? nowAhead * SHORT_TURN
                : gone == 0 ? 2 * farLook : Math.max(FIRST_LOOK, since / gone * (nowAhead - 1) / 2);
        farLook = Math.min(farLook, LAST_LOOK << Math.min(nowAhead - 1, FAR_DOUBLINGS));
        return jittered(farLook);
    }

    private long looked(long longest) {
        long next = Math.min(longest, look);
        look = Math.min(longest, next + next / 2);
        return next < LAST_LOOK ? jittered(next) : settled(next);
    }

    /** When it is told of its turn. What it would see of others does not help it. */
    public long untilTold(int nowAhead, long now, long expiryMicros) {
        untilLook(nowAhead, now);
        return near(nowAhead) ? Math.min(LONGEST_SILENCE, untilExpiry(expiryMicros)) : Long.MAX_VALUE;
    }

    /** When it is told that the holder gives it back, but not that its lease has ended, which it does in so many µs. */
    private static long untilExpiry(long micros) {
        long expiry = TimeUnit.MICROSECONDS.toNanos(Math.min(micros, LONGEST_EXPIRY_MICROS));
        return (expiry > 0 ? expiry : LAST_LOOK) + random(LAST_LOOK);
    }

    public long afterFailure() {
        return TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180));
    }

    private static long jittered(long nanos) {
        return nanos / 2 + random(nanos / 2 + 1);
    }

    /** For what is seldom anyway: a tenth of it is enough to come apart. */
    static long settled(long nanos) {
        return nanos - random(nanos / 10 + 1);
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
    }
}
