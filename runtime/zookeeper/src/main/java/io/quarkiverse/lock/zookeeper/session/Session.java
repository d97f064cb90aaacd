package io.quarkiverse.lock.zookeeper.session;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooKeeper;

import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** A session with the servers. Its nodes go with it. */
public final class Session {

    private final ZooKeeper zk;
    private final long id;
    private final ZooKeeperLockOptions options;
    private final Contacts contacts;
    private volatile int timeoutMillis;
    private volatile long leaseNanos;
    /** The servers keep the session until then, whatever happens; relevant while {@link #confirmed}. */
    private volatile long certainUntil;
    private volatile boolean confirmed;

    private volatile boolean over;

    Session(ZooKeeper zk, long id, ZooKeeperLockOptions options) {
        this.zk = zk;
        this.id = id;
        this.options = options;
        this.contacts = new Contacts(options.tickTime());
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
        contacts.begin(justMade ? now : now + leaseNanos - timeoutNanos(), now);
        return shorter;
    }

    /** The session's server has answered a request that was sent then. */
    synchronized void heard(long sentAt, long now) {
        contacts.heard(sentAt, now);
    }

    /** The leader has answered a request that was sent then. It may have last heard of the session long before that. */
    public synchronized void confirmed(long sentAt, long now) {
        long until = sentAt + leaseNanos;
        long toldUntil = contacts.knownBefore(sentAt) + timeoutNanos();
        contacts.heard(sentAt, now);
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

    /** When a grant that was requested then begins: earlier, where its lease would end later than the session may. */
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

    /** Whether it has expired, as far as this JVM knows. */
    public boolean over() {
        return over;
    }

    @Override
    public String toString() {
        return "session 0x" + Long.toHexString(id);
    }
}
