package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;

/** How much longer it takes to get a lock that another JVM only keeps than a free one. Both take turns. */
final class KeptElsewhere implements Workload {

    private static final String NAME = "elsewhere";
    /** Never expires while somebody waits for it here. */
    private static final Duration LINGER = Duration.ofSeconds(10);

    private final LockEngine one;
    private final LockEngine two;
    private final LockManager keeping;
    private final LockManager givingBack;
    private final LockManager elsewhere;

    KeptElsewhere(Setup setup) {
        one = LockEngine.builder(OurLocks.backend(setup.url())).start();
        two = LockEngine.builder(OurLocks.backend(setup.url())).start();
        keeping = one.manager(new ManagerDefaults("keeping", Duration.ofSeconds(60), Duration.ofSeconds(30), true, null,
                OnLost.FAIL, LINGER));
        givingBack = one.manager(ManagerDefaults.STANDARD);
        elsewhere = two.manager(ManagerDefaults.STANDARD);
        keeping.lock("first").acquire().close();
        elsewhere.lock("second").acquire().close();
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    @Override
    public Sample measure(String side, long nanos) {
        Histogram free = times();
        Histogram kept = times();
        Histogram roundTrips = times();
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            givingBack.lock(NAME).acquire().close();
            taken(free);
            keeping.lock(NAME).acquire().close();
            taken(kept);
            long before = System.nanoTime();
            elsewhere.inspect(NAME);
            roundTrips.recordValue(System.nanoTime() - before);
        }
        double roundTrip = roundTrips.getValueAtPercentile(50);
        return new Sample().times(kept)
                .put(Metric.CYCLES, kept.getTotalCount() / ((System.nanoTime() - start) / 1e9))
                .put(Metric.MORE_ROUND_TRIPS,
                        (kept.getValueAtPercentile(50) - free.getValueAtPercentile(50)) / roundTrip)
                .put(Metric.MORE_P99, kept.getValueAtPercentile(99) - free.getValueAtPercentile(99));
    }

    private static Histogram times() {
        return new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    }

    private void taken(Histogram times) {
        long before = System.nanoTime();
        LockHandle hold = elsewhere.lock(NAME).acquire();
        times.recordValue(System.nanoTime() - before);
        hold.close();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(1, Metric.MORE_ROUND_TRIPS),
                Bar.atMost(TimeUnit.MILLISECONDS.toNanos(5), Metric.MORE_P99));
    }

    @Override
    public void close() {
        one.close();
        two.close();
    }
}
