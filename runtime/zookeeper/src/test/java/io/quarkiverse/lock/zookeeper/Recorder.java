package io.quarkiverse.lock.zookeeper;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;

/** Records what the engine hears. */
final class Recorder implements BackendListener {

    final List<Grant> suspected = new CopyOnWriteArrayList<>();
    final Map<Grant, String> lost = new ConcurrentHashMap<>();
    final Map<Grant, Boolean> waiters = new ConcurrentHashMap<>();
    final List<Grant> asked = new CopyOnWriteArrayList<>();
    final AtomicInteger rechecks = new AtomicInteger();

    @Override
    public void suspect(Grant grant) {
        suspected.add(grant);
    }

    @Override
    public void lost(Grant grant, String reason) {
        lost.put(grant, reason);
    }

    @Override
    public void waiters(Grant grant, boolean some) {
        waiters.put(grant, some);
    }

    @Override
    public void releaseRequested(Grant grant) {
        asked.add(grant);
    }

    @Override
    public void recheck() {
        rechecks.incrementAndGet();
    }
}
