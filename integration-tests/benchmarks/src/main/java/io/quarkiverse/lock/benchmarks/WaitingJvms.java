package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.HdrHistogram.Histogram;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.smallrye.mutiny.subscription.Cancellable;

/**
 * A hundred JVMs wait in a database for one name: the cost while nothing happens; and the cost for a few when they hand the
 * name on, from the call of the release to the next one's grant. Each is an engine with its own listening connection and worker
 * threads; the pool is shared, so that the server need not have as many connections as a hundred JVMs.
 */
final class WaitingJvms implements Workload {

    private static final int WAITING = 100;
    private static final int CONNECTIONS = 32;
    private static final Duration HOLD = Duration.ofMillis(2);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(10));
    /** By then the JVMs that have just joined the line poll as seldom as they ever will. */
    private static final long TO_SETTLE = TimeUnit.SECONDS.toNanos(8);
    private static final long SHORTEST = TimeUnit.SECONDS.toNanos(3);

    private final WatchedPool pool;
    private final Supplier<LockDatabase> databases;
    private final LongSupplier statements;
    private final List<Bar> bars;
    private final List<LockEngine> engines = new ArrayList<>();

    private WaitingJvms(WatchedPool pool, Supplier<LockDatabase> databases, LongSupplier statements, List<Bar> bars) {
        this.pool = pool;
        this.databases = databases;
        this.statements = statements;
        this.bars = bars;
    }

    /** The bar is 110 and not 120, because a hundred listening connections also send ten checks a second. */
    static Workload onPostgres(Setup setup) {
        var pool = new WatchedPool(PostgresProcess.pool(setup.url(), CONNECTIONS));
        return new WaitingJvms(pool, () -> JpaLocks.database(setup.url(), pool, JpaLockOptions.STANDARD.threads()),
                pool::statements, List.of(Bar.atMost(110, Metric.IDLE_STATEMENTS), Bar.atMost(15_000_000, Metric.OF_TWO_P50),
                        Bar.atMost(100_000_000, Metric.OF_TWO_P99), Bar.atMost(15_000_000, Metric.OF_TEN_P50),
                        Bar.atMost(100_000_000, Metric.OF_TEN_P99), Bar.atMost(0, Metric.ERRORS)));
    }

    static Workload onMariaDb(Setup setup) {
        var server = (MariaDbProcess) setup.server();
        AgroalDataSource real = server.pool(CONNECTIONS);
        var pool = new WatchedPool(real);
        return new WaitingJvms(pool, () -> LockDatabase.of(pool, MariaDbProcess.SESSIONS, null, JpaLockOptions.STANDARD),
                server::statements, List.of(Bar.atMost(60, Metric.IDLE_STATEMENTS), Bar.atMost(15_000_000, Metric.OF_TWO_P50),
                        Bar.atMost(100_000_000, Metric.OF_TWO_P99), Bar.atMost(100_000_000, Metric.OF_TEN_P50),
                        Bar.atMost(1_000_000_000, Metric.OF_TEN_P99), Bar.atMost(0, Metric.ERRORS)));
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    @Override
    public Sample measure(String side, long nanos) {
        long each = Math.max(SHORTEST, nanos);
        var errors = new AtomicInteger();
        double idle = idle(each, errors);
        Histogram two = handOvers(2, each);
        Histogram ten = handOvers(10, each);
        return new Sample().put(Metric.CYCLES, ten.getTotalCount() / (each / 1e9))
                .put(Metric.IDLE_STATEMENTS, idle).put(Metric.ERRORS, errors.get())
                .put(Metric.OF_TWO_P50, two.getValueAtPercentile(50)).put(Metric.OF_TWO_P99, two.getValueAtPercentile(99))
                .put(Metric.OF_TEN_P50, ten.getValueAtPercentile(50)).put(Metric.OF_TEN_P99, ten.getValueAtPercentile(99));
    }

    /** Statements per second. */
    private double idle(long nanos, AtomicInteger errors) {
        LockHandle held = manager(0).lock("wanted").acquire();
        List<Cancellable> waiting = new ArrayList<>();
        for (int i = 1; i <= WAITING; i++) {
            waiting.add(manager(i).lock("wanted", PATIENT).acquireAsync().subscribe().with(got -> errors.incrementAndGet(),
                    failure -> errors.incrementAndGet()));
        }
        Await.until("all wait", Duration.ofMinutes(1), () -> waiters() == WAITING);
        pause(TO_SETTLE);
        long before = statements.getAsLong();
        long start = System.nanoTime();
        pause(nanos);
        long after = statements.getAsLong();
        double seconds = (System.nanoTime() - start) / 1e9;
        waiting.forEach(Cancellable::cancel);
        Await.until("nobody waits", Duration.ofMinutes(1), () -> waiters() == 0);
        held.close();
        return (after - before) / seconds;
    }

    private int waiters() {
        return manager(0).inspect("wanted").map(found -> found.waiters()).orElse(0);
    }

    /** From the call of the release to the next grant. The one that released it waits again at once. */
    private Histogram handOvers(int jvms, long nanos) {
        var times = new Histogram(3);
        var releasing = new AtomicLong();
        long end = System.nanoTime() + nanos;
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= jvms; i++) {
            LockManager locks = manager(i);
            threads.add(new Thread(() -> {
                while (System.nanoTime() - end < 0) {
                    LockHandle handle = locks.lock("handed-on", PATIENT).acquire();
                    long given = releasing.get();
                    if (given != 0) {
                        times.recordValue(System.nanoTime() - given); // only the holder records
                    }
                    pause(HOLD.toNanos());
                    releasing.set(System.nanoTime());
                    handle.close();
                }
            }, "jvm-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            try {
                each.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return times;
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos); // how long it is held, or observed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LockManager manager(int jvm) {
        while (engines.size() <= jvm) {
            engines.add(LockEngine.builder(JpaLocks.backend(databases.get())).start());
        }
        return engines.get(jvm).manager(ManagerDefaults.STANDARD);
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public boolean once() {
        return true;
    }

    @Override
    public void close() {
        engines.forEach(LockEngine::close);
        pool.close();
    }
}
