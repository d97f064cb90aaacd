package io.quarkiverse.lock.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The figures of one library in one round, or the median of several. */
final class Sample {

    private final Map<Metric, Double> values = new EnumMap<>(Metric.class);

    static Sample of(Tally tally) {
        Sample sample = new Sample()
                .put(Metric.CYCLES, tally.total() / (tally.nanos() / 1e9))
                .put(Metric.THREAD_SHARE, tally.share())
                .times(tally.times());
        if (tally.crossed().getTotalCount() > 0) {
            sample.put(Metric.CROSSED_P99, tally.crossed().getValueAtPercentile(99));
        }
        return sample;
    }

    Sample put(Metric metric, double value) {
        values.put(metric, value);
        return this;
    }

    Sample times(Histogram times) {
        return put(Metric.P50, times.getValueAtPercentile(50))
                .put(Metric.P99, times.getValueAtPercentile(99))
                .put(Metric.P999, times.getValueAtPercentile(99.9))
                .put(Metric.MAX, times.getMaxValue());
    }

    Sample withLoad() {
        return put(Metric.LOAD, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    @Nullable
    Double get(Metric metric) {
        return values.get(metric);
    }

    /** The median of each metric separately. */
    static Sample median(Collection<Sample> rounds) {
        var median = new Sample();
        for (Metric metric : Metric.values()) {
            List<Double> sorted = rounds.stream().map(each -> each.get(metric)).filter(Objects::nonNull).sorted().toList();
            if (!sorted.isEmpty()) {
                double upper = sorted.get(sorted.size() / 2);
                double lower = sorted.get((sorted.size() - 1) / 2);
                median.put(metric, (lower + upper) / 2);
            }
        }
        return median;
    }
}
