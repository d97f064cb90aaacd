package io.quarkiverse.lock.zookeeper.session;

import java.time.Duration;

/**
 * When the server has heard of a session, as far as the leader knows. The server tells the leader twice in a tick whom it has
 * heard of, so the leader knows of a request that had an answer half a tick before the next one was sent.
 */
final class Contacts {

    private final long halfTick;
    /** When the newest request was sent that the leader knew of before {@link #newest} was sent. */
    private long known;
    private long newest;
    private long newestAnsweredAt;

    Contacts(Duration tick) {
        this.halfTick = tick.toNanos() / 2;
    }

    /** There is a connection, and the leader has heard of the session since then. */
    void begin(long knownSince, long now) {
        known = knownSince;
        newest = knownSince;
        newestAnsweredAt = now - halfTick;
    }

    /** The server has answered a request. Of many that follow each other closely, one in half a tick is enough. */
    void heard(long sentAt, long answeredAt) {
        if (sentAt - newestAnsweredAt >= halfTick) {
            known = newest;
            newest = sentAt;
            newestAnsweredAt = answeredAt;
        }
    }

    /** When the last request was sent that the leader knew of when it answered the one that was sent then. */
    long knownBefore(long sentAt) {
        return sentAt - newestAnsweredAt >= halfTick ? newest : known;
    }
}
