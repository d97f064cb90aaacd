package io.quarkiverse.lock.benchmarks;

import java.util.List;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.JpaLockOptions;

/**
 * Many locks held in a database are renewed repeatedly; a cycle is one lock renewed, the times are those of whole sweeps.
 */
final class RenewingRows implements Workload {

    private static final int ROWS_PER_STATEMENT = 500;
    private static final int HOLDS = 10_000;
    private static final long HALF_A_SECOND = 500_000_000;

    private final String url;
    private final int holds;
    private @Nullable WatchedPool pool;
    private @Nullable HeldLocks held;

    RenewingRows(Setup setup) {
        url = setup.url();
        holds = Math.min(HOLDS, setup.holds());
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    @Override
    public Sample measure(String side, long nanos) {
        if (held == null) {
            pool = new WatchedPool(PostgresProcess.pool(url));
            held = new HeldLocks(
                    JpaLocks.backend(JpaLocks.database(url, pool, JpaLockOptions.STANDARD.threads())), holds);
        }
        Histogram times = Tally.histogram();
        int sweeps = 0;
        int before = pool.statements();
        for (long spent = 0; spent < nanos; sweeps++) {
            long took = held.sweep();
            times.recordValue(took);
            spent += took;
        }
        return new Sample().put(Metric.CYCLES, holds / (times.getValueAtPercentile(50) / 1e9)).times(times)
                .put(Metric.STATEMENTS, (pool.statements() - before) / (double) sweeps);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(Math.ceil(holds / (double) ROWS_PER_STATEMENT), Metric.STATEMENTS),
                Bar.atMost(HALF_A_SECOND, Metric.P50));
    }

    @Override
    public void close() {
        if (held != null) {
            held.close();
        }
        if (pool != null) {
            pool.close();
        }
    }
}
