package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Threads of one JVM that read under one name, without writers. */
final class Readers implements Workload {

    private static final int THREADS = 32;

    private final String url;
    private final Map<Library, Peer> open = new EnumMap<>(Library.class);

    Readers(Setup setup) {
        this.url = setup.url();
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, Library.REDISSON.label());
    }

    @Override
    public Sample measure(String side, long nanos) {
        Library library = Library.valueOf(side.toUpperCase(Locale.ROOT));
        Peer peer = open.computeIfAbsent(library, missing -> missing.open(url));
        var crew = new Crew(Load.cycles(nanos));
        var counts = new ArrayList<Guarded>();
        for (int i = 0; i < THREADS; i++) {
            counts.add(Guarded.local());
            crew.member(peer.shared("read"), counts.get(i));
        }
        Tally tally = Tally.sum(crew.run(Crew.PLATFORM));
        Exclusion.check(side, tally.total(), counts.stream().mapToLong(Guarded::count).sum());
        return Sample.of(tally);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atLeast(20, Metric.CYCLES, Library.REDISSON.label()));
    }

    @Override
    public void close() {
        open.values().forEach(Peer::close);
    }
}
