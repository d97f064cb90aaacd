package org.acme;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockManager;
import io.quarkus.logging.Log;

@ApplicationScoped
public class JavaLocks {

    @Inject
    LockManager locks;

    // tag::lock[]
    void sell(Runnable body) {
        Lock lock = locks.lock("stock-7").asJavaLock();
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
    // end::lock[]

    // tag::more[]
    void write(Runnable cancel) {
        JavaLock lock = locks.lock("stock-7").asJavaLock();
        lock.lock();
        try {
            lock.onLost(cancel);
            lock.extend(Duration.ofMinutes(5));
            Log.infof("Written with the token %d", lock.fencingToken());
        } finally {
            lock.unlock();
        }
    }
    // end::more[]

    // tag::readers[]
    <T> T find(Supplier<T> article) {
        ReadWriteLock lock = locks.lock("catalog").asReadWriteLock();
        lock.readLock().lock();
        try {
            return article.get();
        } finally {
            lock.readLock().unlock();
        }
    }
    // end::readers[]
}
