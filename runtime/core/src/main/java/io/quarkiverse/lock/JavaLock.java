package io.quarkiverse.lock;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} of the JDK with the features of a distributed lock: it has a fencing token, it can be lost, and its lease can
 * be extended. The rules of {@link DistributedLock#asJavaLock} apply.
 *
 * <pre>{@code
 * JavaLock lock = locks.lock("stock-7").asJavaLock();
 * lock.lock();
 * try {
 *     store.write(data, lock.fencingToken());
 * } finally {
 *     lock.unlock();
 * }
 * }</pre>
 *
 * All methods refer to the lock that the current thread has taken through a view of the same names; {@code asReadWriteLock()}
 * also returns views of it. If the thread has taken none, the methods fail with {@link IllegalMonitorStateException}, except
 * for those that ask whether it has.
 */
public interface JavaLock extends Lock {

    /**
     * Whether the current thread has taken this lock more often than it has unlocked it. It may have been lost meanwhile: check
     * {@link #isValid}. No I/O.
     */
    boolean isHeldByCurrentThread();

    /** How often the current thread must unlock it; 0 if it has not taken it. No I/O. */
    int holdCount();

    /**
     * Like {@link LockHandle#fencingToken()}.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    long fencingToken();

    /**
     * Like {@link LockHandle#fencingToken(String)}, for a lock of several names.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    long fencingToken(String name);

    /** Like {@link LockHandle#isValid}; {@code false} if the current thread has not taken this lock. No I/O. */
    boolean isValid();

    /**
     * Like {@link LockHandle#onLost}, as long as the current thread has this lock.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    void onLost(Runnable callback);

    /**
     * Like {@link LockHandle#extend}.
     *
     * @param lease between 1 second and 24 hours
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     * @throws LockLostException if it was lost
     * @throws LockBackendException if the backend does not answer; the lock stays valid until its lease is over. Also if the
     *         backend keeps no lease that long, as for {@link LockHandle#extend}; nothing has changed then
     */
    void extend(Duration lease);
}
