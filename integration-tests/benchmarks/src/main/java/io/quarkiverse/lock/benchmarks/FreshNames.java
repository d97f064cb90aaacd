package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;

import io.quarkiverse.lock.testkit.Await;

/** A name is locked and released once and never again: the server must remove by itself whatever remains of it. */
final class FreshNames implements Workload {

    private static final int THREADS = 8;
    private static final Duration TO_REAP = Duration.ofSeconds(20);

    private final Setup setup;
    private final Map<Library, Peer> open = new EnumMap<>(Library.class);
    private final AtomicLong last = new AtomicLong();

    FreshNames(Setup setup) {
        this.setup = setup;
    }

    @Override
    public List<String> sides() {
        return List.of(Library.OURS.label(), Library.CURATOR.label());
    }

    @Override
    public Sample measure(String side, long nanos) {
        Library library = Library.valueOf(side.toUpperCase(Locale.ROOT));
        Peer peer = open.computeIfAbsent(library, missing -> missing.open(setup.url()));
        var crew = new Crew(Load.cycles(nanos));
        for (int i = 0; i < THREADS; i++) {
            crew.member(new Fresh(peer), Guarded.local());
        }
        Tally tally = Tally.sum(crew.run(Crew.PLATFORM));
        Sample sample = Sample.of(tally);
        return library == Library.OURS ? sample.put(Metric.LEFTOVERS, leftovers("/" + OurLocks.ROOT)) : sample;
    }

    /** What the server has not deleted by itself after a while. */
    private int leftovers(String root) {
        try (CuratorFramework client = ZooKeeperProcess.client(setup.url())) {
            try {
                Await.until("nothing is left below " + root, TO_REAP, () -> client.getChildren().forPath(root).isEmpty());
                return 0;
            } catch (AssertionError | IllegalStateException e) {
                return client.getChildren().forPath(root).size();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atLeast(1, Metric.CYCLES, Library.CURATOR.label()), Bar.atMost(0, Metric.LEFTOVERS));
    }

    @Override
    public void close() {
        open.values().forEach(Peer::close);
    }

    private final class Fresh implements Mutex {

        private final Peer peer;
        private Mutex current;

        Fresh(Peer peer) {
            this.peer = peer;
            this.current = next();
        }

        private Mutex next() {
            return peer.mutex("fresh-" + last.incrementAndGet());
        }

        @Override
        public void lock() {
            current.lock();
        }

        @Override
        public void unlock() {
            current.unlock();
            current = next();
        }
    }
}
