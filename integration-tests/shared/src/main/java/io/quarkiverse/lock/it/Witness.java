package io.quarkiverse.lock.it;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;

/** Sees how many callers are inside at the same time. */
@ApplicationScoped
class Witness {

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    void enter() {
        int now = inside.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
        // Gives a caller that should be kept out a chance to come in
        Thread.yield();
    }

    void leave() {
        inside.decrementAndGet();
    }

    int most() {
        return most.get();
    }
}
