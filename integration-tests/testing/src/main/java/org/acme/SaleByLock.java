package org.acme;

import java.util.concurrent.locks.Lock;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;

@ApplicationScoped
public class SaleByLock {

    @Inject
    LockManager locks;

    public void sell(String id, Runnable body) {
        Lock lock = locks.lock("stock-" + id).asJavaLock();
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
}
