package io.quarkiverse.lock.engine.thread;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.text.PrintableName;

/**
 * A read-write lock with the semantics of the JDK: the two sides of one name. A thread with the write lock may also read, and
 * lets other readers in once it has given back the write lock; a thread with only the read lock may not write.
 */
public final class ThreadReadWriteLock implements ReadWriteLock {

    private final ThreadLock reading;
    private final ThreadLock writing;

    /** For locks that are switched off. */
    public ThreadReadWriteLock(DistributedLock unlocked, Object key, ThreadLocks owned) {
        this(unlocked, null, unlocked, null, key, owned);
    }

    private ThreadReadWriteLock(DistributedLock shared, @Nullable HoldSettings sharing, DistributedLock alone,
            @Nullable HoldSettings writing, Object key, ThreadLocks owned) {
        this.reading = new ThreadLock(shared, key, owned, sharing, true);
        this.writing = new ThreadLock(alone, key, owned, writing, false);
    }

    /** Makes the lock of one side. */
    public interface Side {
        DistributedLock with(HoldSettings settings);
    }

    /** @throws IllegalStateException if the lock has a limit, or keeps its name for some time: readers support neither */
    public static ThreadReadWriteLock of(String name, Object key, HoldSettings settings, ThreadLocks owned, Side side) {
        if (settings.limit() > 0 || settings.holdAtLeastNanos() > 0) {
            throw new IllegalStateException("Lock '" + PrintableName.of(name) + "' has "
                    + (settings.limit() > 0 ? "a limit" : "holdAtLeast") + ", which readers cannot have: call "
                    + "asReadWriteLock() on a lock without it");
        }
        HoldSettings shared = settings.withMode(LockMode.SHARED);
        HoldSettings alone = settings.withMode(LockMode.EXCLUSIVE);
        return new ThreadReadWriteLock(side.with(shared), shared, side.with(alone), alone, key, owned);
    }

    @Override
    public Lock readLock() {
        return reading;
    }

    @Override
    public Lock writeLock() {
        return writing;
    }

    @Override
    public String toString() {
        return "ReadWriteLock[" + writing + "]";
    }
}
