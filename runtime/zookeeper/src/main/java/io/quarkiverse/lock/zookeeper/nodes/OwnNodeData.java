package io.quarkiverse.lock.zookeeper.nodes;

import java.util.concurrent.TimeUnit;

/** The data of this JVM's nodes: the same bytes for all claims with the same lease. */
public final class OwnNodeData {

    private final String owner;
    private volatile Cached cached;

    private record Cached(long leaseNanos, byte[] bytes) {
    }

    public OwnNodeData(String owner) {
        this.owner = owner;
        this.cached = new Cached(0, NodeData.of(owner, 0));
    }

    public byte[] withLease(long leaseNanos) {
        Cached known = cached;
        if (known.leaseNanos() != leaseNanos) {
            known = new Cached(leaseNanos, NodeData.of(owner, TimeUnit.NANOSECONDS.toMillis(leaseNanos)));
            cached = known;
        }
        return known.bytes();
    }
}
