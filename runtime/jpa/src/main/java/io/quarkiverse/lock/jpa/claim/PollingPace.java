package io.quarkiverse.lock.jpa.claim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * When a waiting claim looks again, in ns, with jitter: claims that wait for the same name must not all look at once. Claims
 * near the head of the line look often; the farther back, the less often: the cost of a name must not grow with the number of
 * its waiters. In a line that stands still, all but the head look even less often: others have their turn before them.
 */
public final class PollingPace {

    /** The head, and the claim that becomes the head once the first has had its turn. */
    private static final int NEAR = 2;
    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(5);
    /** For claims near the head of a moving line: a turn may be over before the next look. */
    private static final long MOVING_LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LAST_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    /** For the second claim in a line that stands still. */
    private static final long STILL_LOOK = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long STILL = TimeUnit.SECONDS.toNanos(2);
    private static final int FAR_DOUBLINGS = 5;
    private static final int FAR = 8;
    private static final long LONGEST_EXPIRY_MICROS = TimeUnit.SECONDS.toMicros(2);
    /** A message may have been lost. */
    private static final long LONGEST_SILENCE = TimeUnit.MILLISECONDS.toNanos(900);

    /** For claims farther back, until it is known how long a turn takes. */
    private static final long SHORT_TURN = TimeUnit.MILLISECONDS.toNanos(20);

    private long look = FIRST_LOOK;
    private long farLook;
    private int ahead;
    private long seenAt;
    private long movedAt;

    /** Whether a claim with this many ahead could soon have its turn. */
    public static boolean near(int ahead) {
        return ahead < NEAR;
    }

    /** Whether so many are ahead that it need not notice at once when the line moves. */
    public static boolean far(int ahead) {
        return ahead >= FAR;
    }

    /** Whether nobody has had a turn for a while, judging by the calls of {@link #untilLook}. */
    public boolean still() {
        return seenAt - movedAt > STILL;
    }

    /**
     * For use without notifications. Near the head: often at first, seldom later. Farther back: when half of those ahead will
     * have had their turn, if the line keeps the pace since the last look, and less and less often if it does not.
     *
     * @param nowAhead how many wait ahead of it
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
            look = FIRST_LOOK; // the current holder may be done soon
        }
        if (near(nowAhead)) {
            return looked(!still() ? MOVING_LOOK : nowAhead == 0 ? LAST_LOOK : STILL_LOOK);
        }
        if (still()) {
            return settled(STILL_LOOK << Math.min(nowAhead - 1, FAR_DOUBLINGS));
        }
        // The pace of a line that it has just joined is unknown; it may be fast
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

    /** For use with notifications. A claim farther back does not look at all, since that would not help it. */
    public long untilTold(int nowAhead, long now, long expiryMicros) {
        untilLook(nowAhead, now);
        return near(nowAhead) ? Math.min(LONGEST_SILENCE, untilExpiry(expiryMicros)) : Long.MAX_VALUE;
    }

    /** Until the holder's lease has expired, whose end is this many µs away: a release is notified, but an expiry is not. */
    private static long untilExpiry(long micros) {
        long expiry = TimeUnit.MICROSECONDS.toNanos(Math.min(micros, LONGEST_EXPIRY_MICROS));
        return (expiry > 0 ? expiry : LAST_LOOK) + random(LAST_LOOK);
    }

    public static long afterFailure() {
        return TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180));
    }

    private static long jittered(long nanos) {
        return nanos / 2 + random(nanos / 2 + 1);
    }

    /** For waits that are long anyway: a jitter of a tenth is enough to spread the claims. */
    static long settled(long nanos) {
        return nanos - random(nanos / 10 + 1);
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
    }
}
