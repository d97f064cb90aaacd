package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;

/** Many claims wait in Redis at once, through a client with Quarkus' default pool settings. */
final class Waiters implements Workload {

    private static final int WAITING = 500;
    private static final long PATIENCE_SECONDS = 30;

    private final LockEngine holders;
    private final LockEngine waiters;

    Waiters(Setup setup) {
        holders = LockEngine.builder(OurLocks.backend(setup.url())).start();
        waiters = LockEngine.builder(OurLocks.backend(setup.url())).start();
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    /** A cycle is a lock that passed from one engine to the other. */
    @Override
    public Sample measure(String side, long nanos) {
        LockManager first = holders.manager(ManagerDefaults.STANDARD);
        LockManager then = waiters.manager(ManagerDefaults.STANDARD);
        var held = new ArrayList<LockHandle>();
        for (int i = 0; i < WAITING; i++) {
            held.add(first.lock("wanted-" + i).acquire());
        }
        var got = new CountDownLatch(WAITING);
        var errors = new AtomicInteger();
        for (int i = 0; i < WAITING; i++) {
            then.lock("wanted-" + i).acquireAsync().chain(LockHandle::release).subscribe().with(ignored -> got.countDown(),
                    failure -> {
                        errors.incrementAndGet();
                        got.countDown();
                    });
        }
        long start = System.nanoTime();
        held.forEach(LockHandle::close);
        try {
            if (!got.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                errors.addAndGet((int) got.getCount());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Sample().put(Metric.CYCLES, WAITING / ((System.nanoTime() - start) / 1e9)).put(Metric.ERRORS, errors.get());
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(0, Metric.ERRORS));
    }

    @Override
    public void close() {
        waiters.close();
        holders.close();
    }
}
