package io.quarkiverse.lock.zookeeper.session;

import java.time.Duration;
import java.util.Arrays;

/**
 * When the server has heard of a session, as far as the leader knows. The server tells the leader twice per tick whom it has
 * heard of, so the leader knows of a request that was answered half a tick before the next one was sent.
 */
final class Contacts {

    /** These reach back more than half a tick. */
    private static final int KEPT = 8;

    private final long halfTick;
    /** When requests were sent, the newest first. */
    private final long[] sent = new long[KEPT];
    /** When they were answered. */
    private final long[] answered = new long[KEPT];

    Contacts(Duration tick) {
        this.halfTick = tick.toNanos() / 2;
    }

    /** There is a connection, and the leader has heard of the session since then. */
    void begin(long knownSince, long now) {
        Arrays.fill(sent, knownSince);
        Arrays.fill(answered, now - halfTick);
    }

    /**
     * The server has answered a request. Of many in close succession, four per half tick are kept: with fewer, a short session
     * would seem to have had a pause.
     */
    void heard(long sentAt, long answeredAt) {
        if (sentAt - answered[0] >= halfTick / 4) {
            System.arraycopy(sent, 0, sent, 1, KEPT - 1);
            System.arraycopy(answered, 0, answered, 1, KEPT - 1);
            sent[0] = sentAt;
            answered[0] = answeredAt;
        }
    }

    /** When the last request was sent that the leader knew of when it answered the one sent at {@code sentAt}. */
    long knownBefore(long sentAt) {
        for (int i = 0; i < KEPT; i++) {
            if (sentAt - answered[i] >= halfTick) {
                return sent[i];
            }
        }
        return sent[KEPT - 1];
    }
}
