package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.HdrHistogram.Histogram;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** Several JVMs with some threads each, all of which want one name. */
final class Jvms implements Workload {

    /** A hold plus a round trip each, and nothing in between. */
    private static final String IDEAL = "ideal";
    /** This extension on one of the servers of a quorum, as if there were no others. */
    private static final String SINGLE = "single";

    private final Setup setup;
    private final int threads;
    private final long holdNanos;
    private final List<String> sides;
    private final List<Bar> bars;
    private final Library ours;
    private final Map<String, Contenders> open = new HashMap<>();

    private Jvms(Setup setup, int threads, Duration hold, List<String> sides, List<Bar> bars) {
        this(setup, threads, hold, sides, bars, Library.OURS);
    }

    private Jvms(Setup setup, int threads, Duration hold, List<String> sides, List<Bar> bars, Library ours) {
        this.ours = ours;
        this.setup = setup;
        this.threads = threads;
        this.holdNanos = hold.toNanos();
        this.sides = sides;
        this.bars = bars;
    }

    static Workload noHold(Setup setup) {
        return new Jvms(setup, 2, Duration.ZERO, List.of(Bar.OURS, Library.REDISSON.label()),
                List.of(Bar.atLeast(4, Metric.CYCLES, Library.REDISSON.label()),
                        Bar.atMost(5_000_000, Metric.P99),
                        Bar.atMost(60_000_000, Metric.CROSSED_P99),
                        Bar.atLeast(0.8, Metric.JVM_SHARE)));
    }

    static Workload holding(Setup setup) {
        return new Jvms(setup, 2, Duration.ofMillis(2), List.of(Bar.OURS, IDEAL, Library.REDISSON.label()),
                List.of(Bar.atLeast(0.85, Metric.CYCLES, IDEAL), Bar.atMost(60_000_000, Metric.P999)));
    }

    static Workload quorum(Setup setup) {
        return new Jvms(setup, 2, Duration.ofMillis(2), List.of(Bar.OURS, SINGLE, Library.REDISSON.label()),
                List.of(Bar.atLeast(0.5, Metric.CYCLES, SINGLE), Bar.atLeast(2, Metric.CYCLES, Library.REDISSON.label()),
                        Bar.atLeast(0.6, Metric.JVM_SHARE)));
    }

    static Workload zooKeeper(Setup setup, Duration hold) {
        return new Jvms(setup, 16, hold, List.of(Bar.OURS, Library.CURATOR.label()),
                hold.isZero()
                        ? List.of(Bar.atLeast(4, Metric.CYCLES, Library.CURATOR.label()), Bar.atLeast(0.8, Metric.JVM_SHARE))
                        : List.of(Bar.atLeast(0.8, Metric.JVM_SHARE)));
    }

    static Workload postgres(Setup setup) {
        return new Jvms(setup, 2, Duration.ofMillis(2), List.of(Bar.OURS, Library.ROWLOCK.label()),
                List.of(Bar.atLeast(0.75, Metric.CYCLES, Library.ROWLOCK.label()), Bar.atLeast(0.5, Metric.JVM_SHARE),
                        Bar.atMost(500_000_000, Metric.P999)));
    }

    static Workload postgresTransactions(Setup setup) {
        return new Jvms(setup, 2, Duration.ofMillis(2), List.of(Bar.OURS, Library.ROWWRITE.label(), Library.ROWLOCK.label()),
                List.of(Bar.atLeast(0.85, Metric.CYCLES, Library.ROWWRITE.label())), Library.TRANSACTIONS);
    }

    @Override
    public List<String> sides() {
        return sides;
    }

    @Override
    public Sample measure(String side, long nanos) {
        if (side.equals(IDEAL)) {
            return ideal(nanos);
        }
        return open.computeIfAbsent(side, this::contenders).compete(nanos, holdNanos);
    }

    private Contenders contenders(String side) {
        boolean one = side.equals(SINGLE);
        Library library = one || side.equals(Bar.OURS) ? ours : Library.valueOf(side.toUpperCase(Locale.ROOT));
        String url = one ? QuorumProcess.urls(setup.url()).get(0) : setup.url();
        return new Contenders(library, url, setup.jvms(), threads);
    }

    private Sample ideal(long nanos) {
        Histogram times = Tally.histogram();
        try (var connection = new RawConnection(setup.url())) {
            for (long start = System.nanoTime(), now = start; now - start < nanos;) {
                connection.ask(Request.cmd(Command.PING));
                long answered = System.nanoTime();
                times.recordValue(answered - now);
                now = answered;
            }
        }
        return new Sample().put(Metric.CYCLES, 1e9 / (holdNanos + times.getValueAtPercentile(50))).times(times);
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public void close() {
        open.values().forEach(Contenders::close);
    }
}
