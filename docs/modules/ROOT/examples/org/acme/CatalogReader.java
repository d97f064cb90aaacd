package org.acme;

import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;

@ApplicationScoped
public class CatalogReader {

    @Inject
    LockManager locks;

    public <T> T find(Supplier<T> article) {
        ReadWriteLock lock = locks.lock("catalog").asReadWriteLock();
        lock.readLock().lock();
        try {
            return article.get();
        } finally {
            lock.readLock().unlock();
        }
    }
}
