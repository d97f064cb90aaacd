package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.spi.LockTime;

/**
 * The end of an engine, in order: no new claims, those who wait are sent away, holders may finish, releases under way get their
 * answer, and only then the backend's connections close. What still runs keeps its lease.
 */
final class Shutdown {

    private static final Logger LOG = Logger.getLogger(Shutdown.class);

    private final LockEngine engine;
    private final @Nullable LockTime ownTime;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final AtomicInteger releasesUnderWay = new AtomicInteger();

    private volatile boolean begun;
    private volatile boolean closed;

    Shutdown(LockEngine engine, @Nullable LockTime ownTime) {
        this.engine = engine;
        this.ownTime = ownTime;
    }

    boolean begun() {
        return begun;
    }

    boolean closed() {
        return closed;
    }

    boolean drain(Duration grace) {
        begun = true;
        for (NameQueue queue : engine.names().all()) {
            for (Hold first = queue.firstInLine(); first != null; first = queue.firstInLine()) {
                if (queue.giveUp(first, Refusal.failed(engine.failures().closing(queue.name)))) {
                    first.tellWaiter();
                }
            }
        }
        return await(grace, this::nothingHeld);
    }

    void close() {
        if (closed) {
            return;
        }
        drain(Duration.ZERO);
        await(engine.backend().operationTimeout(), () -> releasesUnderWay.get() == 0);
        closed = true;
        List<HeldLock> left = engine.held();
        if (!left.isEmpty()) {
            LOG.warnf("%d lock(s) are still held at shutdown and become free when their leases end: %s", left.size(),
                    left.stream().limit(20).map(HeldLock::name).map(PrintableName::of).toList());
        }
        engine.renewals().stop();
        engine.backend().close();
        engine.claims().close();
        if (ownTime instanceof SystemTime system) {
            system.close();
        }
    }

    private boolean nothingHeld() {
        for (NameQueue queue : engine.names().all()) {
            if (queue.lease() != null) {
                return false;
            }
        }
        return true;
    }

    void releaseStarted() {
        releasesUnderWay.incrementAndGet();
    }

    void releaseEnded() {
        if (releasesUnderWay.decrementAndGet() == 0 && begun) {
            look();
        }
    }

    /** Something has ended; whoever waits for it looks again. */
    void look() {
        guard.lock();
        try {
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    private boolean await(Duration atMost, BooleanSupplier condition) {
        long left = HoldSettings.saturated(atMost);
        guard.lock();
        try {
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return condition.getAsBoolean();
        } finally {
            guard.unlock();
        }
    }
}
