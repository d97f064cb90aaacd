package io.quarkiverse.lock.engine.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 * The queues by name, and whether anybody may still come to them. A queue that comes to rest is kept for a while, since many
 * names are used again and again, but only so many, and not beyond the next clean-up.
 */
public final class NameTable {

    private static final int KEPT_AT_REST = 1024;

    private final ConcurrentHashMap<String, NameQueue> queues = new ConcurrentHashMap<>();
    /** Those of holds that stand in no line with others of this JVM. */
    private final Set<NameQueue> apart = ConcurrentHashMap.newKeySet();
    private final LeaseRules rules;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private volatile boolean closing;
    private volatile boolean closed;

    public NameTable(LeaseRules rules) {
        this.rules = rules;
    }

    public NameQueue of(String name) {
        NameQueue queue = queues.get(name);
        return queue != null ? queue : queues.computeIfAbsent(name, n -> new NameQueue(n, rules));
    }

    /** A queue for one hold alone, beside that of the others of its name: the backend puts them in order. */
    public NameQueue apart(String name) {
        NameQueue queue = new NameQueue(name, rules);
        apart.add(queue);
        return queue;
    }

    @Nullable
    public NameQueue ifKnown(String name) {
        return queues.get(name);
    }

    /** Those of this name that were made {@link #apart}. */
    public List<NameQueue> apartOf(String name) {
        return apart.isEmpty() ? List.of() : apart.stream().filter(each -> each.name.equals(name)).toList();
    }

    /** The lease that stands on this grant; {@code null} if there is none any more. */
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

    /** The queue is retired: the next caller gets a new one. */
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

    /** From here on nobody new is let in. */
    public void beginToClose() {
        closing = true;
    }

    public boolean closing() {
        return closing;
    }

    /** From here on nothing is tried again. */
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

    /** Whether no answer is awaited for a hold that stands in no line. */
    public boolean nothingAskedAlone() {
        for (NameQueue queue : all()) {
            if (queue.anyAlone()) {
                return false;
            }
        }
        return true;
    }

    /** Something has ended: threads that {@link #await} that look again. */
    void holdGone() {
        if (!closing) {
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
