package org.acme;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockManager;
import io.quarkus.logging.Log;

@ApplicationScoped
public class LongSale {

    @Inject
    LockManager locks;

    public void sell(String id, Runnable cancel) {
        JavaLock lock = locks.lock("stock-" + id).asJavaLock();
        lock.lock();
        try {
            lock.onLost(cancel);
            lock.extend(Duration.ofMinutes(5));
            Log.infof("Written with the token %d", lock.fencingToken());
        } finally {
            lock.unlock();
        }
    }
}
