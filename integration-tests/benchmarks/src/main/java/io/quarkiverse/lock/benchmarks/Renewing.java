package io.quarkiverse.lock.benchmarks;

import java.util.List;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Many held locks are renewed repeatedly; a cycle is one lock renewed, the times are those of whole sweeps. */
final class Renewing implements Workload {

    private final Setup setup;
    private @Nullable HeldLocks ours;
    private @Nullable RawSweep raw;

    Renewing(Setup setup) {
        this.setup = setup;
    }

    @Override
    public List<String> sides() {
        return List.of(Library.OURS.label(), Library.RAW.label());
    }

    @Override
    public Sample measure(String side, long nanos) {
        if (side.equals(Library.RAW.label())) {
            return sweeps(raw()::sweep, nanos);
        }
        HeldLocks held = ours();
        return sweeps(held::sweep, nanos).put(Metric.HEAP_PER_HOLD, held.heapPerHold())
                .put(Metric.THREADS, held.moreThreads());
    }

    /** Created once each, also because memory is measured during the creation. */
    private HeldLocks ours() {
        if (ours == null) {
            ours = new HeldLocks(OurLocks.backend(setup.url()), setup.holds());
        }
        return ours;
    }

    private RawSweep raw() {
        if (raw == null) {
            raw = new RawSweep(setup.url(), setup.holds());
        }
        return raw;
    }

    private Sample sweeps(Sweep sweep, long nanos) {
        Histogram times = Tally.histogram();
        try (var calls = new ServerCalls(setup.redis())) {
            for (long spent = 0; spent < nanos;) {
                long took = sweep.run();
                times.recordValue(took);
                spent += took;
            }
            return new Sample().put(Metric.CYCLES, setup.holds() / (times.getValueAtPercentile(50) / 1e9)).times(times)
                    .put(Metric.SCRIPT_P50, calls.medianNanos());
        }
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(1.3, Metric.P50, Library.RAW.label()),
                Bar.atMost(5_000_000, Metric.SCRIPT_P50),
                Bar.atMost(600, Metric.HEAP_PER_HOLD),
                // Pools grow while locks are taken, but not in proportion to their number
                Bar.atMost(setup.holds() / 1000.0, Metric.THREADS));
    }

    @Override
    public void close() {
        if (ours != null) {
            ours.close();
        }
        if (raw != null) {
            raw.close();
        }
    }

    private interface Sweep {
        long run();
    }
}
