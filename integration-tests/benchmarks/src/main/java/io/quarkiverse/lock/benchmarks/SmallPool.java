package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.testkit.Await;

/**
 * Fifty locks are held and ten engines wait for each, all with one pool of two connections: is there always one for the next
 * statement? Engines do not share grants, so all five hundred wait in the database.
 */
final class SmallPool implements Workload {

    private static final int CONNECTIONS = 2;
    private static final int HOLDERS = 50;
    private static final int WAITERS_EACH = 10;
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(2));

    private final WatchedPool pool;
    private final List<LockEngine> engines = new ArrayList<>();

    SmallPool(Setup setup) {
        pool = new WatchedPool(PostgresProcess.pool(setup.url(), CONNECTIONS));
        LockDatabase database = JpaLocks.database(setup.url(), pool, CONNECTIONS);
        for (int i = 0; i <= WAITERS_EACH; i++) {
            engines.add(LockEngine.builder(JpaLocks.backend(database)).start());
        }
        manager(0).lock("first").acquire().close();
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    /** A cycle is a lock that passed from one engine to another. They wait longer than their unrefreshed places live. */
    @Override
    public Sample measure(String side, long nanos) {
        int refused = pool.refused();
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < HOLDERS; i++) {
            held.add(manager(0).lock("wanted-" + i).acquire());
        }
        var got = new AtomicInteger();
        var errors = new AtomicInteger();
        for (int engine = 1; engine <= WAITERS_EACH; engine++) {
            for (int i = 0; i < HOLDERS; i++) {
                manager(engine).lock("wanted-" + i, PATIENT).acquireAsync().chain(LockHandle::release)
                        .subscribe().with(ignored -> got.incrementAndGet(), failure -> errors.incrementAndGet());
            }
        }
        for (int i = 0; i < HOLDERS; i++) {
            String name = "wanted-" + i;
            Await.until("all wait for " + name, Duration.ofMinutes(1),
                    () -> manager(0).inspect(name).orElseThrow().waiters() == WAITERS_EACH);
        }
        pause(nanos);
        held.removeIf(handle -> !handle.isValid());
        errors.addAndGet(HOLDERS - held.size());
        long start = System.nanoTime();
        held.forEach(LockHandle::close);
        Await.until("all had their turn", Duration.ofMinutes(2),
                () -> got.get() + errors.get() >= HOLDERS * WAITERS_EACH);
        return new Sample().put(Metric.CYCLES, HOLDERS * WAITERS_EACH / ((System.nanoTime() - start) / 1e9))
                .put(Metric.ERRORS, errors.get()).put(Metric.POOL_TIMEOUTS, pool.refused() - refused);
    }

    private static void pause(long nanos) {
        try {
            Thread.sleep(Duration.ofNanos(nanos).toMillis()); // observes the pool for this long while all wait
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LockManager manager(int engine) {
        return engines.get(engine).manager(ManagerDefaults.STANDARD);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(0, Metric.ERRORS), Bar.atMost(0, Metric.POOL_TIMEOUTS));
    }

    @Override
    public void close() {
        engines.forEach(LockEngine::close);
        pool.close();
    }
}
