package io.quarkiverse.lock;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} of the JDK that is also what a distributed lock is: it has a fencing token, it can be lost, and its lease can
 * be extended. What {@link DistributedLock#asJavaLock} says applies to it.
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
 * All of this is about the lock that the current thread has taken through a view of the same names; {@code asReadWriteLock()}
 * gives views of it as well. Where the thread has taken none, the methods fail with {@link IllegalMonitorStateException},
 * except for those that ask whether it has.
 */
public interface JavaLock extends Lock {

    /**
     * Whether the current thread has taken this lock and not unlocked it as often. It may have been lost meanwhile: ask
     * {@link #isValid}. No I/O.
     */
    boolean isHeldByCurrentThread();

    /** How often the current thread has to unlock it; 0 if it has not taken it. No I/O. */
    int holdCount();

    /**
     * As {@link LockHandle#fencingToken()}.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    long fencingToken();

    /**
     * As {@link LockHandle#fencingToken(String)}, for a lock of several names.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    long fencingToken(String name);

    /** As {@link LockHandle#isValid}; {@code false} if the current thread has not taken this lock. No I/O. */
    boolean isValid();

    /**
     * As {@link LockHandle#onLost}, for as long as the current thread has this lock.
     *
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     */
    void onLost(Runnable callback);

    /**
     * As {@link LockHandle#extend}.
     *
     * @param lease between 1 second and 24 hours
     * @throws IllegalMonitorStateException if the current thread has not taken this lock
     * @throws LockLostException if it was lost
     * @throws LockBackendException if the backend does not answer; the lock stays valid until its lease is over
     */
    void extend(Duration lease);
}
