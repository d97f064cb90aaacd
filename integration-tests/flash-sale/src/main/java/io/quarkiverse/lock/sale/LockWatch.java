package io.quarkiverse.lock.sale;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockReleased;

/** Statistics of this node's holds, from the events of the lock extension. */
@ApplicationScoped
public class LockWatch {

    private final LongAdder holds = new LongAdder();
    private final LongAdder heldNanos = new LongAdder();
    private final AtomicLong lastToken = new AtomicLong();
    private volatile long latest;

    /**
     * @param node the node's name
     * @param holds how many holds have ended since it started
     * @param heldMicros how long they took in total
     * @param lastToken the greatest fencing token it has had
     */
    public record Seen(String node, long holds, long heldMicros, long lastToken) {
    }

    void acquired(@ObservesAsync LockAcquired event) {
        lastToken.accumulateAndGet(event.fencingToken(), Math::max);
        latest = event.fencingToken();
    }

    void released(@ObservesAsync LockReleased event) {
        holds.increment();
        heldNanos.add(event.held().toNanos());
    }

    /** The latest fencing token, which is the greatest only as long as tokens rise. As text, see {@code Holder}. */
    String latestToken() {
        return Long.toString(latest);
    }

    Seen seen(String node) {
        return new Seen(node, holds.sum(), heldNanos.sum() / 1_000, lastToken.get());
    }
}
