package io.quarkiverse.lock.benchmarks;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;

/** A name is locked and released once and never again: what stays of it must be what the server takes away by itself. */
final class FreshNames implements Workload {

    private static final int THREADS = 8;
    /** What the server gives as the owner of a container, which it deletes some time after its last child. */
    private static final long CONTAINER = Long.MIN_VALUE;

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
        return Sample.of(tally).put(Metric.LEFTOVERS, leftovers("/" + (library == Library.OURS ? OurLocks.ROOT : side)));
    }

    /** Nodes below the root that the server keeps. */
    private int leftovers(String root) {
        int kept = 0;
        try (CuratorFramework client = ZooKeeperProcess.client(setup.url())) {
            for (String name : client.getChildren().forPath(root)) {
                Stat stat = client.checkExists().forPath(root + "/" + name);
                if (stat != null && (stat.getEphemeralOwner() != CONTAINER || stat.getNumChildren() > 0)) {
                    kept++;
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return kept;
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
