package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.NoNews;

/**
 * Many JVMs hold one name SHARED, and one more comes and goes. An engine has one grant for all of its readers, so each claim
 * here stands for a JVM.
 */
final class ReadingJvms implements Workload {

    private static final String SECOND = "the 2nd";
    private static final int HOLDERS_AT_MOST = 1_000;
    private static final long LEASE = TimeUnit.MINUTES.toNanos(30);

    private final int most;
    private final LockBackend backend;
    private final Map<String, List<Grant>> holders = new TreeMap<>();

    ReadingJvms(Setup setup) {
        most = Math.min(HOLDERS_AT_MOST, setup.holds() / 20);
        backend = OurLocks.backend(setup.url());
        backend.start(new NoNews(), new SystemTime());
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, SECOND);
    }

    @Override
    public Sample measure(String side, long nanos) {
        int size = side.equals(SECOND) ? 1 : most - 1;
        String name = "read-" + size;
        holders.computeIfAbsent(name, ignored -> {
            List<Grant> all = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                all.add(acquire(name));
            }
            return all;
        });
        Histogram acquires = Tally.histogram();
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            long before = System.nanoTime();
            Grant grant = acquire(name);
            acquires.recordValue(System.nanoTime() - before);
            backend.release(grant).await().indefinitely();
        }
        return new Sample().put(Metric.CYCLES, acquires.getTotalCount() / ((System.nanoTime() - start) / 1e9))
                .times(acquires);
    }

    private Grant acquire(String name) {
        var random = ThreadLocalRandom.current();
        var claim = new Claim(name, random.nextLong(), random.nextLong(), LockMode.SHARED, 0, LEASE, true);
        return (Grant) backend.acquire(claim).await().indefinitely();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(2, Metric.P50, SECOND));
    }

    @Override
    public void close() {
        holders.values().forEach(all -> all.forEach(each -> backend.release(each).await().indefinitely()));
        backend.close();
    }
}
