package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Threads of this JVM that block: all on one name, or each on its own. */
final class Threads implements Workload {

    private final String url;
    private final int threads;
    private final boolean oneName;
    private final Function<Runnable, Thread> starter;
    private final List<Library> libraries;
    private final List<Bar> bars;
    private final Map<Library, Peer> open = new EnumMap<>(Library.class);

    private Threads(Setup setup, int threads, boolean oneName, Function<Runnable, Thread> starter, List<Library> libraries,
            List<Bar> bars) {
        this.url = setup.url();
        this.threads = threads;
        this.oneName = oneName;
        this.starter = starter;
        this.libraries = libraries;
        this.bars = bars;
    }

    static Workload distinct(Setup setup) {
        return new Threads(setup, 32, false, Crew.PLATFORM,
                List.of(Library.OURS, Library.RAW, Library.REDISSON, Library.SPRING),
                List.of(Bar.atLeast(0.85, Metric.CYCLES, "raw"), Bar.atLeast(2, Metric.CYCLES, "redisson"),
                        Bar.atLeast(0.8, Metric.CYCLES, "spring")));
    }

    static Workload single(Setup setup) {
        return new Threads(setup, 1, false, Crew.PLATFORM,
                List.of(Library.OURS, Library.RAW, Library.REDISSON, Library.SPRING),
                List.of(Bar.atMost(1.25, Metric.P50, "raw")));
    }

    static Workload distinctInQuorum(Setup setup) {
        return new Threads(setup, 32, false, Crew.PLATFORM, List.of(Library.OURS, Library.RAW, Library.REDISSON),
                List.of(Bar.atLeast(2, Metric.CYCLES, "redisson")));
    }

    static Workload singleInQuorum(Setup setup) {
        return new Threads(setup, 1, false, Crew.PLATFORM, List.of(Library.OURS, Library.RAW, Library.REDISSON),
                List.of(Bar.atMost(1.15, Metric.P50, "raw")));
    }

    /** The cost of counting and timing, and the additional cost of spans. */
    static Workload metered(Setup setup) {
        return new Threads(setup, 32, false, Crew.PLATFORM, List.of(Library.OURS, Library.METERED, Library.OBSERVED),
                List.of(Bar.atMost(1 / 0.95, Metric.CYCLES, "metered"), Bar.atMost(1 / 0.95, Metric.CYCLES, "observed")));
    }

    static Workload handedOn(Setup setup, Function<Runnable, Thread> starter) {
        return new Threads(setup, 8, true, starter, List.of(Library.OURS, Library.FIFO, Library.REDISSON),
                List.of(Bar.atLeast(0.4, Metric.CYCLES, "fifo"), Bar.atLeast(10, Metric.CYCLES, "redisson")));
    }

    static Workload distinctOnZooKeeper(Setup setup) {
        return new Threads(setup, 32, false, Crew.PLATFORM, List.of(Library.OURS, Library.NODES, Library.CURATOR),
                List.of(Bar.atLeast(0.85, Metric.CYCLES, "nodes"), Bar.atLeast(1, Metric.CYCLES, "curator")));
    }

    static Workload handedOnOnZooKeeper(Setup setup) {
        return new Threads(setup, 8, true, Crew.PLATFORM, List.of(Library.OURS, Library.FIFO, Library.CURATOR),
                List.of(Bar.atLeast(20, Metric.CYCLES, "curator")));
    }

    static Workload distinctOnPostgres(Setup setup) {
        return new Threads(setup, 8, false, Crew.PLATFORM,
                List.of(Library.OURS, Library.RAW, Library.SPRING, Library.SHEDLOCK),
                List.of(Bar.atLeast(0.85, Metric.CYCLES, "raw"), Bar.atLeast(1.5, Metric.CYCLES, "spring"),
                        Bar.atLeast(0.9, Metric.CYCLES, "shedlock")));
    }

    static Workload handedOnOnPostgres(Setup setup) {
        return new Threads(setup, 8, true, Crew.PLATFORM, List.of(Library.OURS, Library.FIFO, Library.SPRING),
                List.of(Bar.atLeast(15, Metric.CYCLES, "spring")));
    }

    @Override
    public List<String> sides() {
        return libraries.stream().map(Library::label).toList();
    }

    @Override
    public Sample measure(String side, long nanos) {
        Library library = Library.valueOf(side.toUpperCase(Locale.ROOT));
        Peer peer = open.computeIfAbsent(library, missing -> missing.open(url));
        var crew = new Crew(oneName ? Load.waits(nanos) : Load.cycles(nanos));
        var protectedByEach = new ArrayList<Guarded>();
        for (int i = 0; i < threads; i++) {
            if (i == 0 || !oneName) {
                protectedByEach.add(Guarded.local());
            }
            int name = protectedByEach.size() - 1;
            crew.member(peer.mutex("name-" + name), protectedByEach.get(name));
        }
        Tally tally = Tally.sum(crew.run(starter));
        Exclusion.check(side, tally.total(), protectedByEach.stream().mapToLong(Guarded::count).sum());
        return Sample.of(tally);
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public void close() {
        open.values().forEach(Peer::close);
    }
}
