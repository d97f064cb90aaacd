package org.acme;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

public class RedissonStock {

    private final RedissonClient redisson;

    public RedissonStock(RedissonClient redisson) {
        this.redisson = redisson;
    }

    public void sell(String id, Runnable body) {
        RLock lock = redisson.getLock("stock-" + id);
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
}
