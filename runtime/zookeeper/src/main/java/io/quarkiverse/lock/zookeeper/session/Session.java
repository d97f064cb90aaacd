package io.quarkiverse.lock.zookeeper.session;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooKeeper;

import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** A session with the servers. Its nodes go with it. */
public final class Session {

    private final ZooKeeper zk;
    private final long id;
    private final ZooKeeperLockOptions options;
    private volatile int timeoutMillis;
    private volatile long leaseNanos;
    /** Until then the servers keep the session, whatever happens: of interest while {@link #confirmed}. */
    private volatile long certainUntil;
    private volatile boolean confirmed;

    private volatile boolean over;

    Session(ZooKeeper zk, long id, int timeoutMillis, ZooKeeperLockOptions options) {
        this.zk = zk;
        this.id = id;
        this.options = options;
        negotiated(timeoutMillis);
    }

    /**
     * There is a connection. The timeout may differ from server to server, so what was confirmed before it counts no more.
     *
     * @return whether it has become shorter
     */
    boolean negotiated(int timeoutMillis) {
        boolean shorter = timeoutMillis < this.timeoutMillis;
        this.timeoutMillis = timeoutMillis;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(options.sessionLeaseMillis(timeoutMillis));
        this.confirmed = false;
        return shorter;
    }

    /** The leader has answered a request that was sent then. */
    public void confirmed(long sentAt) {
        long until = sentAt + leaseNanos;
        if (!confirmed || until - certainUntil > 0) {
            certainUntil = until;
            confirmed = true;
        }
    }

    public boolean confirmed() {
        return confirmed;
    }

    /**
     * Whether a grant may begin now without asking the leader once more: it lasts for as long as it is to, or for nearly as
     * long as the session allows at all.
     */
    public boolean covers(long now, long leaseNanos) {
        long session = this.leaseNanos;
        return confirmed && certainUntil - now >= Math.min(leaseNanos, session - session / 8);
    }

    /** When a grant begins that was asked for then: earlier, where its lease would end later than the session may. */
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

    /** For how long a grant is certain without a renewal; not positive if the session is too short. */
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
