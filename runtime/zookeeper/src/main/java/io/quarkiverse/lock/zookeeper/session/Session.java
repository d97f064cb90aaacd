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

    private volatile boolean over;

    Session(ZooKeeper zk, long id, int timeoutMillis, ZooKeeperLockOptions options) {
        this.zk = zk;
        this.id = id;
        this.options = options;
        negotiated(timeoutMillis);
    }

    /**
     * The timeout may differ from server to server.
     *
     * @return whether it has become shorter
     */
    boolean negotiated(int timeoutMillis) {
        boolean shorter = timeoutMillis < this.timeoutMillis;
        this.timeoutMillis = timeoutMillis;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(options.sessionLeaseMillis(timeoutMillis));
        return shorter;
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
