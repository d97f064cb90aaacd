package io.quarkiverse.lock.benchmarks;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's {@code RLock}, renewed by its watchdog; everything as Redisson sets it. */
final class RedissonLocks implements Peer {

    private final RedissonClient client;

    RedissonLocks(String url) {
        var config = new Config();
        config.useSingleServer().setAddress(url);
        client = Redisson.create(config);
    }

    @Override
    public Mutex mutex(String name) {
        return mutex(client.getLock("redisson:" + name));
    }

    @Override
    public Mutex shared(String name) {
        return mutex(client.getReadWriteLock("redisson:" + name).readLock());
    }

    private static Mutex mutex(RLock lock) {
        return new Mutex() {

            @Override
            public void lock() {
                lock.lock();
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
