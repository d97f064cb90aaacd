package io.quarkiverse.lock.engine;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The queues by name. A queue that comes to rest is kept for a while, since many names are used again and again, but only so
 * many, and not beyond the next clean-up.
 */
final class NameTable {

    private static final int KEPT_AT_REST = 1024;

    private final ConcurrentHashMap<String, NameQueue> queues = new ConcurrentHashMap<>();
    private final LockEngine engine;

    NameTable(LockEngine engine) {
        this.engine = engine;
    }

    NameQueue of(String name) {
        NameQueue queue = queues.get(name);
        return queue != null ? queue : queues.computeIfAbsent(name, n -> new NameQueue(n, engine));
    }

    @Nullable
    NameQueue ifKnown(String name) {
        return queues.get(name);
    }

    /** The queue is retired: the next caller gets a new one. */
    void forget(NameQueue queue) {
        queues.remove(queue.name, queue);
    }

    void idle(NameQueue queue) {
        engine.holdGone();
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

    Collection<NameQueue> all() {
        return queues.values();
    }
}
