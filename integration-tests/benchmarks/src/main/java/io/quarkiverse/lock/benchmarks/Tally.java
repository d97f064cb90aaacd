package io.quarkiverse.lock.benchmarks;

import java.util.Arrays;
import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * The combined figures of some threads.
 *
 * @param cycles per thread
 * @param times how long each cycle, or each wait for the lock, took
 * @param crossed the waits that ended with the lock coming from another JVM
 * @param nanos from the start to the end of the last cycle
 */
record Tally(List<Long> cycles, Histogram times, Histogram crossed, long nanos) {

    static Histogram histogram() {
        return new Histogram(3);
    }

    static Tally sum(List<Tally> parts) {
        var times = histogram();
        var crossed = histogram();
        parts.forEach(part -> {
            times.add(part.times);
            crossed.add(part.crossed);
        });
        return new Tally(parts.stream().flatMap(part -> part.cycles.stream()).toList(), times, crossed,
                parts.stream().mapToLong(Tally::nanos).max().orElseThrow());
    }

    long total() {
        return cycles.stream().mapToLong(Long::longValue).sum();
    }

    double share() {
        return share(cycles.stream().mapToLong(Long::longValue).toArray());
    }

    /** 1 if all got the same number. */
    static double share(long... parts) {
        long[] sorted = parts.clone();
        Arrays.sort(sorted);
        long most = sorted[sorted.length - 1];
        return most == 0 ? 0 : sorted[0] / (double) most;
    }
}
