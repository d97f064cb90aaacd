package io.quarkiverse.lock.benchmarks;

import java.net.URI;
import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's lock registry in its default way of waiting, on Lettuce. It does not renew. */
final class SpringLocks implements Peer {

    private static final long EXPIRY_MILLIS = 30_000;

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    SpringLocks(String url) {
        URI address = URI.create(url);
        connections = new LettuceConnectionFactory(address.getHost(), address.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, "spring", EXPIRY_MILLIS);
        registry.setRedisLockType(RedisLockType.SPIN_LOCK);
    }

    @Override
    public Mutex mutex(String name) {
        Lock lock = registry.obtain(name);
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
        registry.destroy();
        connections.destroy();
    }
}
