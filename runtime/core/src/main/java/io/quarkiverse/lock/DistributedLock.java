package io.quarkiverse.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * A lock of one name. It is stateless: keep it or ask for it each time, and use it from any thread.
 *
 * <p>
 * Every method that takes the lock fails with {@link LockBusyException} when the wait is over, {@link LockInterruptedException}
 * when the thread is interrupted meanwhile or its interrupt flag is already set, {@link LockBackendException} when the backend
 * cannot be reached, and {@link LockLostException} when it was granted and lost before the caller could go on, and no time is
 * left to ask again. It fails with {@link IllegalStateException} when the application is shutting down, when an enclosing scope
 * holds the name in a mode or with a limit that does not cover this lock, and when the backend does not offer the method: with
 * {@code quarkus.lock.jpa.strategy=pessimistic} that applies to the asynchronous methods, {@link #asJavaLock} and
 * {@link #asReadWriteLock}, and to {@link #acquire} and {@link #tryAcquire} outside a transaction. The blocking ones fail with
 * {@code BlockingOperationNotAllowedException} on an event loop.
 */
public interface DistributedLock {

    /** The lock's name; for several names, all of them separated by commas. */
    String name();

    /**
     * Takes the lock, waiting as long as the options say. Release the handle when done:
     *
     * <pre>{@code
     * try (LockHandle hold = locks.lock("stock-7").acquire()) {
     *     store.write(data, hold.fencingToken());
     * }
     * }</pre>
     *
     * An open handle creates no scope: acquiring the name again on the same thread waits for it. Inside {@link #call} or a
     * {@link Locked} method of the same name, this returns a nested handle at once: the options of the enclosing scope then
     * apply, and those of this lock are ignored.
     */
    LockHandle acquire();

    /**
     * Takes the lock if it becomes free within {@code wait}.
     *
     * @param wait how long to wait; zero asks once
     * @return empty if it did not
     */
    Optional<LockHandle> tryAcquire(Duration wait);

    /**
     * {@link #acquire} without blocking. Cancelling gives up; a grant that is already on its way is undone. A handle that has
     * been delivered is released when what follows it is cancelled, as with {@code chain}; {@code holdAtLeast} then applies if
     * any of its methods has been called. A subscriber that cancels while it is being given the handle, as
     * {@code Uni.join().first()} does, keeps it, and releases it itself.
     */
    @CheckReturnValue
    Uni<LockHandle> acquireAsync();

    /** {@link #tryAcquire} without blocking: empty where that returns empty. Cancelling works as with {@link #acquireAsync}. */
    @CheckReturnValue
    Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait);

    /**
     * Runs {@code body} while holding the lock, as a {@link Locked} method does: nested calls for the same name go through, and
     * the call fails with {@link LockLostException} if the lock was lost before the body ended, also where the body failed
     * because the commit of a JTA transaction in it was refused for that reason. A call nested in another one of the same name
     * fails in the same way, at its own end. It runs under the options of the outermost call; its own wait, lease, renewal and
     * reaction to a loss are ignored.
     * <p>
     * A body that returns a {@code Uni}, a stream, a query, a {@code Future} that is not done, or other work that ends later
     * makes the call fail with {@link IllegalStateException}, since that work could run without the lock: use
     * {@link #callAsync}, or run the stream or the query in the body and return its result. If only the start of the work needs
     * the lock, return the work inside another object:
     *
     * <pre>{@code
     * Optional<Future<Report>> job = lock.call(() -> Optional.of(jobs.computeIfAbsent(key, this::start)));
     * }</pre>
     *
     * @throws Exception what the body throws, unchanged unless it is such a refused commit
     */
    <T> T call(Callable<T> body) throws Exception;

    /** {@link #call} for a body without a result. */
    default void run(Runnable body) {
        try {
            call(() -> {
                body.run();
                return true;
            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("A Runnable cannot throw a checked exception", e);
        }
    }

    /**
     * Runs {@code body} while holding the lock, until its {@code Uni} ends or is cancelled. Each subscription takes the lock
     * anew. Calls for the same name in the body's pipeline go through, on whatever thread they run. If the lock is lost, the
     * result fails with {@link LockLostException} at once and the body is cancelled. It fails with
     * {@link IllegalStateException} if its item is work that ends later, such as a {@code Future} that is not done.
     */
    @CheckReturnValue
    <T> Uni<T> callAsync(Supplier<Uni<T>> body);

    /**
     * The lock as a {@code Lock} of the JDK, for code that needs one; {@link JavaLock} adds to it. It belongs to the thread
     * that has taken it, which may take it again and must unlock it as often; all views of one name are one lock. A name that
     * the thread has among several it also gets alone, or with others, with the settings under which it was first taken, and
     * the name is free after the last {@code unlock()}.
     * <ul>
     * <li>{@code lock()} and {@code lockInterruptibly()} wait without limit, {@code tryLock()} asks once. An interrupt does not
     * end {@code lock()} or {@code tryLock()}; a {@code lock()} that is interrupted while it waits rejoins the line.
     * <li>In a deadlock, one of the callers fails: {@code lock()} with {@link LockDeadlockException}, while
     * {@code tryLock} with a time returns {@code false}.
     * <li>{@code unlock()} on another thread is an {@link IllegalMonitorStateException}. If the lock was lost meanwhile, every
     * {@code unlock()} fails with {@link LockLostException}, as does taking it again, unless {@code quarkus.lock.on-lost} is
     * {@code notify}.
     * <li>{@code newCondition()} is not supported.
     * <li>It creates no scope: a {@link Locked} method or {@link #call} of the same name waits for it. Inside such a scope, the
     * view goes through.
     * </ul>
     * Otherwise it fails as {@link #acquire} does. Not for event loops.
     */
    JavaLock asJavaLock();

    /**
     * The lock as a {@code ReadWriteLock} of the JDK, for code that needs one: the read lock is this name in
     * {@link LockMode#SHARED}, the write lock is the name held exclusively, whatever the mode of this lock. The rules of
     * {@link #asJavaLock} apply to both, and they are views of the same lock.
     *
     * <pre>{@code
     * ReadWriteLock lock = locks.lock("catalog").asReadWriteLock();
     * lock.readLock().lock();
     * try {
     *     return catalog.find(id);
     * } finally {
     *     lock.readLock().unlock();
     * }
     * }</pre>
     *
     * A thread that has the write lock may take the read lock, and lets other readers in when it then gives back the write
     * lock, as with {@link LockHandle#downgrade}: no writer gets in between. On a backend without
     * {@link io.quarkiverse.lock.spi.Feature#DOWNGRADE}, and inside an exclusive {@link #call}, it stays alone until it has
     * given both back. A thread with only the read lock may not take the write lock: even {@code tryLock()} throws an
     * {@link IllegalStateException}, since the thread would wait for itself. Inside an exclusive {@link #call} it may. A
     * waiting writer is let in before readers that come later.
     *
     * @throws IllegalStateException if the backend has no {@link LockMode#SHARED}, or this lock has a limit or
     *         {@code holdAtLeast}
     */
    default ReadWriteLock asReadWriteLock() {
        throw new UnsupportedOperationException("Lock '" + PrintableName.of(name()) + "' has no view for readers and writers");
    }
}
