package io.quarkiverse.lock.zookeeper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends requests that have no answer within the operation timeout. All have the same patience, so those that came first are due
 * first, and one timer now and then is enough.
 */
final class RequestTimeouts {

    /** A request that is to have its answer in time. */
    interface Timed {

        /** When its time is over; always the same. */
        long deadline();

        boolean done();

        /** It has no answer; called at most once, maybe just after it had one. */
        void timedOut();
    }

    private final ZooKeeperLockBackend backend;
    private final long period;
    private final Queue<Timed> open = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ticking = new AtomicBoolean();

    RequestTimeouts(ZooKeeperLockBackend backend) {
        this.backend = backend;
        this.period = backend.operationTimeout().toNanos() / 10;
    }

    long next() {
        return backend.time().nanoTime() + backend.operationTimeout().toNanos();
    }

    void add(Timed request) {
        open.add(request);
        tick();
    }

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            backend.later(period, this::look);
        }
    }

    private void look() {
        long now = backend.time().nanoTime();
        try {
            for (Timed oldest = open.peek(); oldest != null
                    && (oldest.done() || now - oldest.deadline() >= 0); oldest = open.peek()) {
                open.poll();
                if (!oldest.done()) {
                    oldest.timedOut();
                }
            }
        } finally {
            ticking.set(false);
            if (!open.isEmpty()) {
                tick();
            }
        }
    }
}
