package io.quarkiverse.lock.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.smallrye.mutiny.Multi;

/** Many locks held by one engine, and their cost for this JVM. */
final class HeldLocks implements AutoCloseable {

    /** So long that no renewal becomes due by itself, and not so long that the engine takes a larger margin. */
    private static final Duration LEASE = Duration.ofMinutes(30);
    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final LockOptions OPTIONS = LockOptions.DEFAULTS.withLease(LEASE);

    private final RenewalWatch backend;
    private final LockEngine engine;
    private final List<LockHandle> handles;
    private final double heapPerHold;
    private final int moreThreads;

    HeldLocks(LockBackend of, int count) {
        backend = new RenewalWatch(of);
        engine = LockEngine.builder(backend).margin(MARGIN).start();
        LockManager locks = engine.manager(ManagerDefaults.STANDARD);
        locks.lock("first").acquire().close(); // connects
        handles = new ArrayList<>(count);
        long heap = Memory.usedHeap();
        int threads = threads();
        Multi.createFrom().range(0, count)
                .onItem().transformToUni(i -> locks.lock("held-" + i, OPTIONS).acquireAsync()).merge(64)
                .subscribe().asStream().forEach(handles::add);
        heapPerHold = (Memory.usedHeap() - heap) / (double) count;
        moreThreads = threads() - threads;
    }

    double heapPerHold() {
        return heapPerHold;
    }

    int moreThreads() {
        return moreThreads;
    }

    /** Makes the engine renew all of them; returns how long that took. */
    long sweep() {
        var renewed = backend.expect(handles.size());
        long start = System.nanoTime();
        engine.recheck();
        renewed.orTimeout(60, TimeUnit.SECONDS).join();
        long nanos = System.nanoTime() - start;
        // The replies have arrived; a lease whose reply is still being processed would be omitted from the next sweep
        Await.until("all leases count from this sweep", Duration.ofSeconds(10), () -> allRenewedSince(start));
        return nanos;
    }

    private boolean allRenewedSince(long start) {
        for (LockHandle handle : handles) {
            Duration left = handle.validFor();
            if (left.plusNanos(System.nanoTime() - start).compareTo(LEASE.minus(MARGIN)) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    @Override
    public void close() {
        var released = new CountDownLatch(handles.size());
        handles.forEach(handle -> handle.release().subscribe().with(ignored -> released.countDown(),
                ignored -> released.countDown()));
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        engine.close();
    }
}
