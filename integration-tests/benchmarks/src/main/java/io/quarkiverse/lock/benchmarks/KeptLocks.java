package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/** One thread locks the same name repeatedly, in a JVM that keeps it in between, and in one that asks each time. */
final class KeptLocks implements Workload {

    private static final String ASKING = "asking";
    private static final Duration LINGER = Duration.ofMillis(200);

    private final OurLocks keeping;
    private final OurLocks asking;
    private final double factor;

    KeptLocks(Setup setup, double factor) {
        this.keeping = OurLocks.keeping(setup.url(), LINGER);
        this.asking = new OurLocks(setup.url());
        this.factor = factor;
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, ASKING);
    }

    @Override
    public Sample measure(String side, long nanos) {
        Mutex mutex = (side.equals(ASKING) ? asking : keeping).mutex("again-" + side);
        Histogram times = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            long before = now;
            mutex.lock();
            mutex.unlock();
            now = System.nanoTime();
            times.recordValue(now - before);
        }
        return new Sample().put(Metric.CYCLES, times.getTotalCount() / ((now - start) / 1e9)).times(times);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atLeast(factor, Metric.CYCLES, ASKING));
    }

    @Override
    public void close() {
        keeping.close();
        asking.close();
    }
}
