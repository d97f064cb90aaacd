package io.quarkiverse.lock.zookeeper.session;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooKeeper;

import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * A session with the servers, and how long they certainly keep it. Its nodes go with it.
 * <p>
 * The server tells the leader twice per tick whom it has heard of, so the leader knows of a request that was answered half a
 * tick before the next one was sent.
 */
public final class Session {

    /** How many requests are remembered: they reach back more than half a tick. */
    private static final int KEPT = 8;

    private final ZooKeeper zk;
    private final long id;
    private final ZooKeeperLockOptions options;
    private final NodeRoom room;
    private final long halfTick;
    /** When requests were sent, the newest first. */
    private final long[] sent = new long[KEPT];
    /** When they were answered. */
    private final long[] answered = new long[KEPT];
    private volatile int timeoutMillis;
    private volatile long leaseNanos;
    /** The servers keep the session until then, whatever happens; relevant while {@link #confirmed}. */
    private volatile long certainUntil;
    private volatile boolean confirmed;

    private volatile boolean over;
    private volatile boolean shared;

    Session(ZooKeeper zk, long id, ZooKeeperLockOptions options, NodeRoom room) {
        this.zk = zk;
        this.id = id;
        this.options = options;
        this.room = room;
        this.halfTick = options.tickTime().toNanos() / 2;
    }

    /**
     * There is a connection. The timeout may differ from server to server, so earlier confirmations no longer count.
     *
     * @param justMade the leader has heard of the session just now; otherwise, as long ago as the client's pings allow
     * @return whether it has become shorter
     */
    synchronized boolean negotiated(int timeoutMillis, long now, boolean justMade) {
        boolean shorter = timeoutMillis < this.timeoutMillis;
        this.timeoutMillis = timeoutMillis;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(options.sessionLeaseMillis(timeoutMillis));
        this.confirmed = false;
        Arrays.fill(sent, justMade ? now : now + leaseNanos - timeoutNanos());
        Arrays.fill(answered, now - halfTick);
        return shorter;
    }

    /**
     * The session's server has answered a request that was sent then. Of many in close succession, four per half tick are kept:
     * with fewer, a short session would seem to have had a pause.
     */
    synchronized void heard(long sentAt, long now) {
        if (sentAt - answered[0] >= halfTick / 4) {
            System.arraycopy(sent, 0, sent, 1, KEPT - 1);
            System.arraycopy(answered, 0, answered, 1, KEPT - 1);
            sent[0] = sentAt;
            answered[0] = now;
        }
    }

    /** When the last request was sent that the leader knew of when it answered the one sent at {@code sentAt}. */
    private long knownBefore(long sentAt) {
        for (int i = 0; i < KEPT; i++) {
            if (sentAt - answered[i] >= halfTick) {
                return sent[i];
            }
        }
        return sent[KEPT - 1];
    }

    /** The leader has answered a request that was sent then. It may have last heard of the session long before that. */
    public synchronized void confirmed(long sentAt, long now) {
        long until = sentAt + leaseNanos;
        long toldUntil = knownBefore(sentAt) + timeoutNanos();
        heard(sentAt, now);
        if (toldUntil - until < 0) {
            until = toldUntil;
        }
        if (!confirmed || until - certainUntil > 0) {
            certainUntil = until;
            confirmed = true;
        }
    }

    public boolean confirmed() {
        return confirmed;
    }

    /**
     * Whether a grant may begin now without asking the leader again: it lasts for its whole lease, or for nearly as long as the
     * session allows at all.
     */
    public boolean covers(long now, long leaseNanos) {
        long session = this.leaseNanos;
        return confirmed && certainUntil - now >= Math.min(leaseNanos, session - session / 8);
    }

    /** How long the servers certainly keep the session, from the sending of that request; not positive if unknown. */
    public long keptNanos(long sentAt) {
        return confirmed ? certainUntil - sentAt : 0;
    }

    /** When a grant that was requested then begins: earlier, if its lease might otherwise outlast the session. */
    public long begin(long sentAt, long leaseNanos) {
        long latest = certainUntil - leaseNanos;
        return sentAt - latest > 0 ? latest : sentAt;
    }

    public ZooKeeper zk() {
        return zk;
    }

    public long id() {
        return id;
    }

    /** For nodes; they go with the session. */
    public NodeRoom room() {
        return room;
    }

    public int timeoutMillis() {
        return timeoutMillis;
    }

    private long timeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** How long a grant is certain without a renewal; not positive if the session is too short. */
    public long leaseNanos() {
        return leaseNanos;
    }

    void end() {
        over = true;
    }

    /** A checkpoint of the process is made: each process restored from it has this session. */
    void share() {
        shared = true;
    }

    /** Whether other processes may have it too. */
    boolean shared() {
        return shared;
    }

    /** Whether it has expired, as far as this JVM knows. */
    public boolean over() {
        return over;
    }

    @Override
    public String toString() {
        return "session 0x" + Long.toHexString(id);
    }
}
