package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.lock.testkit.Await;

/**
 * How often a name passes from one JVM to the next, which holds it for a millisecond, with a thousand of them waiting compared
 * to ten. Each JVM is an engine with its own connections, and asks again once a second, as usual.
 */
final class HandingOn implements Workload {

    private static final String TEN = "10 waiting";
    private static final int MOST = 1_000;
    private static final int A_HOLD_IN = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String url;
    private final int waiting;

    HandingOn(Setup setup) {
        url = setup.url();
        waiting = Math.min(MOST, setup.holds() / A_HOLD_IN);
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, TEN);
    }

    @Override
    public Sample measure(String side, long nanos) {
        int jvms = 1 + (side.equals(TEN) ? 10 : waiting);
        try (var all = new HandOverCurve.Jvms(Bar.OURS, url, jvms)) {
            var crowd = new WaitingCrowd(all.locks);
            crowd.start();
            try {
                awaitHandOvers(crowd, 2 * jvms); // each has had it, and waits again
                int before = crowd.handOvers();
                long start = System.nanoTime();
                awaitHandOvers(crowd, before + 1);
                LockSupport.parkNanos(start + nanos - System.nanoTime());
                double seconds = (System.nanoTime() - start) / 1e9;
                return new Sample().put(Metric.CYCLES, (crowd.handOvers() - before) / seconds);
            } finally {
                crowd.end();
            }
        }
    }

    private static void awaitHandOvers(WaitingCrowd crowd, int until) {
        Await.until(until + " hand-overs", PATIENCE, () -> crowd.handOvers() >= until);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atLeast(0.8, Metric.CYCLES, TEN));
    }

    @Override
    public void close() {
    }
}
