package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.smallrye.mutiny.Multi;

/** Each name is locked and released once: what remains of them, here and in Redis? */
final class ManyNames implements Workload {

    private static final int IN_FLIGHT = 256;
    private static final double MEGABYTE = 1 << 20;
    private static final Duration RETENTION = Duration.ofSeconds(1);

    private final Setup setup;
    private final LockEngine engine;
    private final LockManager locks;
    private final AtomicLong last = new AtomicLong();

    ManyNames(Setup setup) {
        this.setup = setup;
        var standard = RedisLockOptions.STANDARD;
        engine = LockEngine.builder(OurLocks.backend(setup.url(), new RedisLockOptions(standard.keyPrefix(),
                standard.operationTimeout(), RETENTION, false, standard.properties()))).start();
        locks = engine.manager(ManagerDefaults.STANDARD);
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    /** The first tenth warms up; after that memory must not grow. */
    @Override
    public Sample measure(String side, long nanos) {
        try (TinyRedis redis = setup.redis().connect()) {
            lockAndRelease(setup.names() / 10);
            awaitEmpty(redis);
            long redisBefore = usedByRedis(redis);
            long heapBefore = Memory.usedHeap();
            long start = System.nanoTime();
            lockAndRelease(setup.names());
            long took = System.nanoTime() - start;
            awaitEmpty(redis);
            return new Sample().put(Metric.CYCLES, setup.names() / (took / 1e9))
                    .put(Metric.HEAP_GROWTH, Memory.usedHeap() - heapBefore)
                    .put(Metric.REDIS_GROWTH, usedByRedis(redis) - redisBefore);
        }
    }

    private void lockAndRelease(int names) {
        Multi.createFrom().range(0, names)
                .onItem().transformToUni(i -> locks.lock("name-" + last.incrementAndGet()).acquireAsync()
                        .chain(LockHandle::release))
                .merge(IN_FLIGHT).onItem().ignoreAsUni().await().indefinitely();
    }

    private static void awaitEmpty(TinyRedis redis) {
        Await.until("Redis has forgotten the names", Duration.ofMinutes(2), () -> redis.number("DBSIZE") == 0);
    }

    private static long usedByRedis(TinyRedis redis) {
        return Long.parseLong(String.valueOf(redis.info("used_memory")));
    }

    @Override
    public boolean once() {
        return true;
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(MEGABYTE, Metric.HEAP_GROWTH), Bar.atMost(MEGABYTE, Metric.REDIS_GROWTH));
    }

    @Override
    public void close() {
        engine.close();
    }
}
