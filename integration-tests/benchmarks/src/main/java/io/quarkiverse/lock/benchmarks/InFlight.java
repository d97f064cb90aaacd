package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Many locks taken and released at once without blocking, each chain on its own name. */
final class InFlight implements Workload {

    private static final int CHAINS = 512;

    private final String url;
    private final Map<Library, AsyncPeer> open = new EnumMap<>(Library.class);

    InFlight(Setup setup) {
        this.url = setup.url();
    }

    @Override
    public List<String> sides() {
        return List.of(Library.OURS.label(), Library.RAW.label());
    }

    @Override
    public Sample measure(String side, long nanos) {
        Library library = Library.valueOf(side.toUpperCase(Locale.ROOT));
        AsyncPeer peer = open.computeIfAbsent(library, missing -> (AsyncPeer) missing.open(url));
        var run = new Run(peer, Load.cycles(nanos));
        Tally tally = run.finish();
        Exclusion.check(side, tally.total(), run.counted());
        return Sample.of(tally);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atLeast(0.75, Metric.CYCLES, "raw"));
    }

    @Override
    public void close() {
        open.values().forEach(AsyncPeer::close);
    }

    private static final class Run {

        private final AsyncPeer peer;
        private final Load load;
        private final List<Chain> chains = new ArrayList<>();
        private final CountDownLatch ended = new CountDownLatch(CHAINS);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Run(AsyncPeer peer, Load load) {
            this.peer = peer;
            this.load = load;
            for (int i = 0; i < CHAINS; i++) {
                chains.add(new Chain(this, "async-" + i));
            }
        }

        Tally finish() {
            chains.forEach(Chain::next);
            try {
                if (!ended.await(load.nanos() + 60_000_000_000L, TimeUnit.NANOSECONDS)) {
                    throw new IllegalStateException(ended.getCount() + " chains do not end", failure.get());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            if (failure.get() != null) {
                throw new IllegalStateException("A chain failed", failure.get());
            }
            return Tally.sum(chains.stream().map(Chain::tally).toList());
        }

        long counted() {
            return chains.stream().mapToLong(chain -> chain.guarded.count()).sum();
        }
    }

    private static final class Chain implements AsyncPeer.Chain {

        private final Run run;
        private final String name;
        private final Guarded guarded = Guarded.local();
        private final Histogram times = new Histogram(2);
        private long cycles;
        private long asked;

        Chain(Run run, String name) {
            this.run = run;
            this.name = name;
        }

        void next() {
            asked = System.nanoTime();
            run.peer.cycle(name, this);
        }

        @Override
        public void held() {
            guarded.touch();
        }

        @Override
        public void released() {
            long now = System.nanoTime();
            times.recordValue(now - asked);
            cycles++;
            if (run.load.over(now)) {
                asked = now;
                run.ended.countDown();
            } else {
                next();
            }
        }

        @Override
        public void failed(Throwable cause) {
            run.failure.compareAndSet(null, cause);
            asked = System.nanoTime();
            run.ended.countDown();
        }

        Tally tally() {
            return new Tally(List.of(cycles), times, new Histogram(2), asked - run.load.startAt());
        }
    }
}
