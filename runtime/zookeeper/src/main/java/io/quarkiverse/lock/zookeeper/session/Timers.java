package io.quarkiverse.lock.zookeeper.session;

import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.lock.spi.LockTime;

/**
 * The time, later tasks, and the end of requests that get no answer within the operation timeout. Nothing more is scheduled
 * once the backend is closed. The timeout is the same for all requests, so the oldest is due first, and one timer is enough.
 */
public final class Timers {

    /** A request that must be answered in time. */
    public interface Timed {

        /** When its time is over; never changes. */
        long deadline();

        boolean done();

        /** The request has no answer. May be called just after the answer; at most once, unless it {@link #pause pauses}. */
        void timedOut();
    }

    private final LockTime time;
    private final long operationTimeout;
    private final Queue<Timed> unanswered = new ConcurrentLinkedQueue<>();
    private final Set<Timed> pausing = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean stopped;

    public Timers(LockTime time, Duration operationTimeout) {
        this.time = time;
        this.operationTimeout = operationTimeout.toNanos();
    }

    public long nanoTime() {
        return time.nanoTime();
    }

    public long wallMillis() {
        return time.wallMillis();
    }

    public void later(long nanos, Runnable task) {
        if (!stopped) {
            time.schedule(nanos, task);
        }
    }

    /** The deadline of a request that begins now. */
    public long deadline() {
        return nanoTime() + operationTimeout;
    }

    /** Ends the request at its deadline, unless it is done by then. */
    public void limit(Timed request) {
        unanswered.add(request);
        tick();
    }

    /** Goes on later with a request that has nothing in flight meanwhile; its time is over once the backend is closed. */
    public void pause(Timed request, long nanos, Runnable next) {
        pausing.add(request);
        if (stopped) {
            request.timedOut();
        } else {
            time.schedule(nanos, () -> {
                pausing.remove(request);
                next.run();
            });
        }
    }

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            later(operationTimeout / 10, this::look);
        }
    }

    private void look() {
        long now = nanoTime();
        try {
            for (Timed oldest = unanswered.peek(); oldest != null
                    && (oldest.done() || now - oldest.deadline() >= 0); oldest = unanswered.peek()) {
                unanswered.poll();
                if (!oldest.done()) {
                    oldest.timedOut();
                }
            }
        } finally {
            ticking.set(false);
            if (!unanswered.isEmpty()) {
                tick();
            }
        }
    }

    public void stop() {
        stopped = true;
        pausing.forEach(Timed::timedOut);
    }
}
