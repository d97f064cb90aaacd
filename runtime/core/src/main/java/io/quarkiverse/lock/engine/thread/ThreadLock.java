package io.quarkiverse.lock.engine.thread;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.text.PrintableName;

/**
 * A lock with the semantics of the JDK: it belongs to the thread that has taken it, which may take it again and must unlock it.
 */
public final class ThreadLock implements JavaLock {

    private static final Logger LOG = Logger.getLogger(ThreadLock.class);
    /** In effect for ever, but still small enough to be added to a clock. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final DistributedLock lock;
    private final Object key;
    private final ThreadLocks owned;
    private final @Nullable HoldSettings settings;
    private final boolean sharing;

    /**
     * @param key identifies its names, see {@code NamesInOrder.key}
     * @param owned what each thread owns among these locks
     * @param settings the lock's settings; {@code null} if locks are switched off
     */
    public ThreadLock(DistributedLock lock, Object key, ThreadLocks owned, @Nullable HoldSettings settings) {
        this(lock, key, owned, settings, settings != null && settings.mode() == LockMode.SHARED);
    }

    /** @param sharing whether it is the read side of a read-write lock */
    ThreadLock(DistributedLock lock, Object key, ThreadLocks owned, @Nullable HoldSettings settings, boolean sharing) {
        this.lock = lock;
        this.key = key;
        this.owned = owned;
        this.settings = settings;
        this.sharing = sharing;
    }

    @Override
    public void lock() {
        if (!uninterruptibly(FOREVER)) {
            throw sentAway();
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!interruptibly(FOREVER)) {
            throw sentAway();
        }
    }

    /** The failure of a wait without limit: only a deadlock ends one without the lock. */
    private LockDeadlockException sentAway() {
        return new LockDeadlockException(lock.name(), "Lock '" + PrintableName.of(lock.name())
                + "' was not acquired because of a deadlock: callers wait for each other, and this call fails so that the "
                + "others can continue; the log names them. Take the locks in the same order everywhere, or all at once "
                + "(@Locked with all of the names, LockManager.all)");
    }

    @Override
    public boolean tryLock() {
        return uninterruptibly(Duration.ZERO);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
        return interruptibly(wait);
    }

    /** An interrupt costs the thread its place in line; the interrupt flag is set again on return. */
    private boolean uninterruptibly(Duration wait) {
        boolean interrupted = false;
        try {
            for (;;) {
                try {
                    return take(wait);
                } catch (LockInterruptedException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean interruptibly(Duration wait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before lock '" + PrintableName.of(lock.name()) + "' was taken");
        }
        try {
            return take(wait);
        } catch (LockInterruptedException e) {
            Thread.interrupted(); // the exception reports it
            InterruptedException interrupted = new InterruptedException(e.getMessage());
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    private boolean take(Duration wait) {
        ThreadLocks.Owned mine = owned.find(key);
        if (mine != null) {
            throwIfLost(mine.handle);
            if (settings != null) {
                mine.checkCovers(settings);
            }
            mine.taken(sharing);
            return true;
        }
        LockHandle handle = lock.tryAcquire(wait).orElse(null);
        if (handle == null) {
            return false;
        }
        mine = new ThreadLocks.Owned(handle);
        mine.taken(sharing);
        owned.add(key, mine);
        return true;
    }

    @Override
    public void unlock() {
        ThreadLocks.Owned mine = owned.find(key);
        if (mine == null || mine.times(sharing) == 0) {
            throw new IllegalMonitorStateException("Lock '" + PrintableName.of(lock.name()) + "' was not taken"
                    + (mine == null ? "" : sharing ? " in shared mode" : " exclusively") + " by this thread, "
                    + Thread.currentThread().getName() + ", through a java.util.concurrent lock: only the thread that took it "
                    + "can unlock it");
        }
        if (!mine.unlocked(sharing)) {
            throwIfLost(mine.handle);
            if (mine.times(false) == 0) {
                letReadersIn(mine);
            }
            return;
        }
        owned.remove(key);
        LockLostException loss = loss(mine.handle); // before the release, which is not a loss
        mine.handle.close();
        if (loss != null) {
            throw loss;
        }
    }

    /**
     * The thread has given back the write lock and keeps the read lock. If the lock cannot be downgraded, the thread stays its
     * only holder until it has given back both.
     */
    private static void letReadersIn(ThreadLocks.Owned mine) {
        if (!(mine.handle instanceof Losable known && known.mayBeDowngraded())) {
            return;
        }
        try {
            mine.handle.downgrade();
        } catch (LockBackendException | LockInterruptedException e) {
            LOG.debugf(e, "Lock '%s' has not been downgraded yet", PrintableName.of(mine.handle.name())); // tried again
        } catch (LockLostException e) {
            throwIfLost(mine.handle); // there is nothing left to downgrade
        }
    }

    private static void throwIfLost(LockHandle handle) {
        LockLostException loss = loss(handle);
        if (loss != null) {
            throw loss;
        }
    }

    private static @Nullable LockLostException loss(LockHandle handle) {
        return handle instanceof Losable losable ? losable.lossSoFar() : null;
    }

    // --- beyond the JDK's locks

    @Override
    public boolean isHeldByCurrentThread() {
        return holdCount() > 0;
    }

    @Override
    public int holdCount() {
        ThreadLocks.Owned mine = owned.find(key);
        return mine == null ? 0 : mine.times(sharing);
    }

    @Override
    public long fencingToken() {
        return mine().fencingToken();
    }

    @Override
    public long fencingToken(String name) {
        return mine().fencingToken(name);
    }

    @Override
    public boolean isValid() {
        return isHeldByCurrentThread() && mine().isValid();
    }

    @Override
    public void onLost(Runnable callback) {
        mine().onLost(callback);
    }

    @Override
    public void extend(Duration lease) {
        mine().extend(lease);
    }

    private LockHandle mine() {
        ThreadLocks.Owned mine = owned.find(key);
        if (mine == null || mine.times(sharing) == 0) {
            throw new IllegalMonitorStateException("Lock '" + PrintableName.of(lock.name()) + "' is not held"
                    + (mine == null ? "" : sharing ? " in shared mode" : " exclusively") + " by this thread, "
                    + Thread.currentThread().getName() + ", through a java.util.concurrent lock: call lock() first");
        }
        return mine.handle;
    }

    /** @throws UnsupportedOperationException always: a waiter in another JVM could not be woken */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "Lock[" + PrintableName.of(lock.name()) + "]";
    }
}
