package io.quarkiverse.lock.engine.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Grant;

/**
 * The queues by name, and whether they still admit callers. An idle queue is kept for a while, since many names are used again
 * and again. Their number is limited, and none outlives the next clean-up.
 */
public final class NameTable {

    private static final int KEPT_AT_REST = 1024;

    private final ConcurrentHashMap<String, NameQueue> queues = new ConcurrentHashMap<>();
    /** The queues of holds outside the line of this JVM. */
    private final Set<NameQueue> apart = ConcurrentHashMap.newKeySet();
    private final LeaseRules rules;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final AtomicInteger awaiting = new AtomicInteger();
    private volatile boolean closing;
    private volatile boolean closed;

    public NameTable(LeaseRules rules) {
        this.rules = rules;
    }

    public NameQueue of(String name) {
        NameQueue queue = queues.get(name);
        return queue != null ? queue : queues.computeIfAbsent(name, n -> new NameQueue(n, rules));
    }

    /** A queue for a single hold, beside the regular queue of its name: the backend orders them. */
    public NameQueue apart(String name) {
        NameQueue queue = new NameQueue(name, rules);
        apart.add(queue);
        return queue;
    }

    @Nullable
    public NameQueue ifKnown(String name) {
        return queues.get(name);
    }

    /** The queues of this name that were made {@link #apart}. */
    public List<NameQueue> apartOf(String name) {
        return apart.isEmpty() ? List.of() : apart.stream().filter(each -> each.name.equals(name)).toList();
    }

    /** The lease on this grant; {@code null} if there is none any more. */
    @Nullable
    public Lease leaseOf(Grant grant) {
        NameQueue queue = ifKnown(grant.name());
        Lease inLine = queue == null ? null : queue.leaseOf(grant);
        if (inLine != null) {
            return inLine;
        }
        for (NameQueue each : apartOf(grant.name())) {
            Lease lease = each.leaseOf(grant);
            if (lease != null) {
                return lease;
            }
        }
        return null;
    }

    /** Removes a retired queue: the next caller gets a new one. */
    public void forget(NameQueue queue) {
        queues.remove(queue.name, queue);
    }

    public void idle(NameQueue queue) {
        holdGone();
        apart.remove(queue);
        if (queues.mappingCount() > KEPT_AT_REST && queue.retire()) {
            forget(queue);
        }
    }

    void cleanUp() {
        for (NameQueue queue : queues.values()) {
            if (queue.lease() == null && queue.retire()) {
                forget(queue);
            }
        }
    }

    public Collection<NameQueue> all() {
        if (apart.isEmpty()) {
            return queues.values();
        }
        return Stream.of(queues.values(), apart).flatMap(Collection::stream).toList();
    }

    // --- the end of the engine

    /** From now on, no new callers are admitted. */
    public void beginToClose() {
        closing = true;
    }

    public boolean closing() {
        return closing;
    }

    /** From now on, nothing is retried. */
    public void close() {
        closed = true;
    }

    public boolean closed() {
        return closed;
    }

    public boolean nothingHeld() {
        for (NameQueue queue : all()) {
            if (queue.lease() != null) {
                return false;
            }
        }
        return true;
    }

    /** Whether no hold outside the lines awaits an answer. */
    public boolean nothingAskedAlone() {
        for (NameQueue queue : all()) {
            if (queue.anyAlone()) {
                return false;
            }
        }
        return true;
    }

    /** Something has ended: threads in {@link #await} check again. */
    void holdGone() {
        if (awaiting.get() == 0) {
            return;
        }
        guard.lock();
        try {
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    public boolean await(Duration atMost, BooleanSupplier condition) {
        long left = HoldSettings.saturated(atMost);
        awaiting.incrementAndGet(); // before the condition is checked: later changes are signalled
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
            awaiting.decrementAndGet();
        }
    }
}
