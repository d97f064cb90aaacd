package io.quarkiverse.lock.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;

/** One JVM waits for many names at once: how many sessions and threads that takes. */
final class WaitingNames implements Workload {

    private static final int NAMES = 1000;
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(2));

    private final Setup setup;

    WaitingNames(Setup setup) {
        this.setup = setup;
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    /** A cycle is a lock that passed from one engine to the other. */
    @Override
    public Sample measure(String side, long nanos) {
        try (LockEngine holders = engine(); LockEngine waiters = engine()) {
            var held = new ArrayList<LockHandle>();
            LockManager first = holders.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < NAMES; i++) {
                held.add(first.lock("wanted-" + i).acquire());
            }
            int threads = threads();
            int connections = connections();
            var got = new AtomicInteger();
            var errors = new AtomicInteger();
            LockManager then = waiters.manager(ManagerDefaults.STANDARD);
            then.lock("first").acquire().close(); // connects
            for (int i = 0; i < NAMES; i++) {
                then.lock("wanted-" + i, PATIENT).acquireAsync().chain(LockHandle::release)
                        .subscribe().with(ignored -> got.incrementAndGet(), failure -> errors.incrementAndGet());
            }
            Await.until("all wait", Duration.ofMinutes(1),
                    () -> first.inspect("wanted-" + (NAMES - 1)).orElseThrow().waiters() > 0);
            int moreThreads = threads() - threads;
            int sessions = connections() - connections;
            long start = System.nanoTime();
            held.forEach(LockHandle::close);
            Await.until("all had their turn", Duration.ofMinutes(1), () -> got.get() + errors.get() == NAMES);
            return new Sample().put(Metric.CYCLES, NAMES / ((System.nanoTime() - start) / 1e9))
                    .put(Metric.SESSIONS, sessions).put(Metric.THREADS, moreThreads).put(Metric.ERRORS, errors.get());
        }
    }

    private LockEngine engine() {
        return LockEngine.builder(OurLocks.backend(setup.url())).start();
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    /** The connections of the server, except the one that asks. */
    private int connections() {
        return (int) ZooKeeperProcess.figure(setup.url(), "Connections") - 1;
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(1, Metric.SESSIONS), Bar.atMost(CLIENT_THREADS, Metric.THREADS),
                Bar.atMost(0, Metric.ERRORS));
    }

    /** The threads that a client and an engine have in any case, however many wait. */
    private static final int CLIENT_THREADS = 12;

    @Override
    public void close() {
    }
}
