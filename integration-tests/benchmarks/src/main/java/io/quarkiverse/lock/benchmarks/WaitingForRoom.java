package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * Five hold a name with a limit, and many engines with a session each wait for it: how many requests a release by any of the
 * holders costs, including all that waiters send because of it, and how long the permit is free. The times are from the call of
 * the release until the next one has its handle.
 */
final class WaitingForRoom implements Workload {

    private static final String ONE = "1 waiting";
    private static final int LIMIT = 5;
    private static final int WAITING = 100;
    /** How many are released before others join the queue, which itself costs requests. */
    private static final int RELEASES = 40;
    private static final String NAME = "room";
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withLimit(LIMIT).withWaitFor(Duration.ofMinutes(5));

    private final String url;
    private final LongAdder requests = new LongAdder();
    private final Map<String, Queue> queues = new HashMap<>();

    WaitingForRoom(Setup setup) {
        url = setup.url();
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, ONE);
    }

    @Override
    public Sample measure(String side, long nanos) {
        Queue queue = queues.computeIfAbsent(side, name -> new Queue(name, name.equals(ONE) ? 1 : WAITING));
        Histogram times = Tally.histogram();
        long released = 0;
        long asked = 0;
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            queue.fill();
            long before = requests.sum();
            int releases = Math.min(RELEASES, queue.size);
            for (int i = 0; i < releases; i++) {
                times.recordValue(queue.release());
            }
            settle();
            asked += requests.sum() - before;
            released += releases;
        }
        return new Sample().put(Metric.CYCLES, released / ((System.nanoTime() - start) / 1e9))
                .put(Metric.REQUESTS, (double) asked / released).times(times);
    }

    /**
     * Waits until no requests have been sent for a while. A hold is checked once, when it is 100 ms old: that is not awaited.
     */
    private void settle() {
        long[] last = { -1, System.nanoTime() };
        Await.until("nobody asks any more", Duration.ofSeconds(10), () -> {
            long now = requests.sum();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > TimeUnit.MILLISECONDS.toNanos(25);
        });
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(6, Metric.REQUESTS), Bar.atMost(1.25, Metric.P50, ONE));
    }

    @Override
    public void close() {
        queues.values().forEach(Queue::close);
    }

    /** The holders and the waiters of one side's name. */
    private final class Queue {

        private final String name;
        private final int size;
        private final Random random = new Random(1);
        private final List<LockEngine> idle = new ArrayList<>();
        private final List<LockEngine> all = new ArrayList<>();
        private final List<Held> holders = new ArrayList<>();
        private final BlockingQueue<Held> granted = new LinkedBlockingQueue<>();
        private final LockManager looking;
        private int waiting;

        Queue(String side, int size) {
            this.size = size;
            name = NAME + '-' + size;
            for (int i = 0; i < size + LIMIT; i++) {
                idle.add(engine());
            }
            looking = engine().manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < LIMIT; i++) {
                join();
                holders.add(next());
            }
        }

        private LockEngine engine() {
            LockEngine engine = LockEngine.builder(new ZooKeeperLockBackend(CountedClient.of(url, requests),
                    ZooKeeperLockOptions.STANDARD.withRoot("/" + OurLocks.ROOT), "bench")).start();
            all.add(engine);
            engine.manager(ManagerDefaults.STANDARD).lock("first").acquire().close(); // connects
            return engine;
        }

        void fill() {
            while (waiting < size) {
                join();
            }
            Await.until("all wait", Duration.ofMinutes(1),
                    () -> looking.inspect(name).orElseThrow().waiters() == size);
            settle();
        }

        private void join() {
            LockEngine engine = idle.remove(idle.size() - 1);
            waiting++;
            engine.manager(ManagerDefaults.STANDARD).lock(name, PATIENT).acquireAsync().subscribe()
                    .with(handle -> granted.add(new Held(engine, handle, System.nanoTime(), null)),
                            failure -> granted.add(new Held(engine, null, 0, failure)));
        }

        private Held next() {
            try {
                Held next = granted.poll(1, TimeUnit.MINUTES);
                if (next == null || next.handle == null) {
                    throw new IllegalStateException("Nobody got in", next == null ? null : next.failure);
                }
                waiting--;
                return next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        /** Releases any of them. */
        long release() {
            Held leaves = holders.remove(random.nextInt(holders.size()));
            long start = System.nanoTime();
            leaves.handle.close();
            Held next = next();
            holders.add(next);
            idle.add(leaves.engine);
            return Math.max(0, next.at - start);
        }

        void close() {
            all.forEach(LockEngine::close);
        }
    }

    private record Held(LockEngine engine, @Nullable LockHandle handle, long at, @Nullable Throwable failure) {
    }
}
