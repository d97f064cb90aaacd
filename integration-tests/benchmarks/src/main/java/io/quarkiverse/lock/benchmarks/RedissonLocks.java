package io.quarkiverse.lock.benchmarks;

import java.util.List;

import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's {@code RLock}, renewed by its watchdog, with Redisson's defaults. */
final class RedissonLocks implements Peer {

    private final List<RedissonClient> clients;

    RedissonLocks(String url) {
        clients = QuorumProcess.urls(url).stream().map(RedissonLocks::client).toList();
    }

    private static RedissonClient client(String url) {
        var config = new Config();
        config.useSingleServer().setAddress(url);
        return Redisson.create(config);
    }

    @Override
    public Mutex mutex(String name) {
        RLock[] locks = clients.stream().map(each -> each.getLock("redisson:" + name)).toArray(RLock[]::new);
        return mutex(locks.length == 1 ? locks[0] : new RedissonMultiLock(locks));
    }

    @Override
    public Mutex shared(String name) {
        return mutex(clients.get(0).getReadWriteLock("redisson:" + name).readLock());
    }

    static Mutex mutex(RLock lock) {
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
        clients.forEach(RedissonClient::shutdown);
    }
}
