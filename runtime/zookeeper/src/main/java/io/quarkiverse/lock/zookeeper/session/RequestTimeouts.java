package io.quarkiverse.lock.zookeeper.session;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends requests that have no answer within the operation timeout. The timeout is the same for all, so the oldest is due first,
 * and one timer is enough.
 */
public final class RequestTimeouts {

    /** A request that has to be answered in time. */
    public interface Timed {

        /** When its time is over; never changes. */
        long deadline();

        boolean done();

        /** It has no answer. Called at most once, maybe just after the answer. */
        void timedOut();
    }

    private final Timers timers;
    private final long timeout;
    private final Queue<Timed> open = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ticking = new AtomicBoolean();

    public RequestTimeouts(Timers timers, Duration operationTimeout) {
        this.timers = timers;
        this.timeout = operationTimeout.toNanos();
    }

    /** The deadline of a request that begins now. */
    public long next() {
        return timers.nanoTime() + timeout;
    }

    public void add(Timed request) {
        open.add(request);
        tick();
    }

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            timers.later(timeout / 10, this::look);
        }
    }

    private void look() {
        long now = timers.nanoTime();
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
