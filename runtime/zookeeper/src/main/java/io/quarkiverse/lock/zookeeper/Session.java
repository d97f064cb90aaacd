package io.quarkiverse.lock.zookeeper;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooKeeper;

/** A session with the servers. Everything of it goes with it. */
final class Session {

    private final ZooKeeper zk;
    private final long id;
    private final long tickMillis;
    private volatile int timeoutMillis;
    private volatile long leaseNanos;

    private volatile boolean over;

    Session(ZooKeeper zk, long id, int timeoutMillis, long tickMillis) {
        this.zk = zk;
        this.id = id;
        this.tickMillis = tickMillis;
        negotiated(timeoutMillis);
    }

    /**
     * Each server that it is connected to says how long it is to be.
     *
     * @return whether it has become shorter
     */
    boolean negotiated(int timeoutMillis) {
        boolean shorter = timeoutMillis < this.timeoutMillis;
        this.timeoutMillis = timeoutMillis;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis(timeoutMillis, tickMillis));
        return shorter;
    }

    /**
     * For how long the servers certainly keep what the session has, from the time a request was sent that the leader has
     * answered. A server tells the leader once in half a tick whom it has heard of; of the rest a third is for the client,
     * which
     * gives a silent server up after two thirds.
     */
    static long leaseMillis(int timeoutMillis, long tickMillis) {
        return timeoutMillis * 2L / 3 - tickMillis / 2;
    }

    ZooKeeper zk() {
        return zk;
    }

    long id() {
        return id;
    }

    int timeoutMillis() {
        return timeoutMillis;
    }

    /** How long a hold is certain without a renewal; not positive if the session is too short for that. */
    long leaseNanos() {
        return leaseNanos;
    }

    void end() {
        over = true;
    }

    /** It has expired, as far as is known here. */
    boolean over() {
        return over;
    }

    @Override
    public String toString() {
        return "session 0x" + Long.toHexString(id);
    }
}
