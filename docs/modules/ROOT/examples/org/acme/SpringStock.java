package org.acme;

import java.util.concurrent.locks.Lock;

import org.springframework.integration.redis.util.RedisLockRegistry;

public class SpringStock {

    private final RedisLockRegistry registry;

    public SpringStock(RedisLockRegistry registry) {
        this.registry = registry;
    }

    public void sell(String id, Runnable body) {
        Lock lock = registry.obtain("stock-" + id);
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
}
