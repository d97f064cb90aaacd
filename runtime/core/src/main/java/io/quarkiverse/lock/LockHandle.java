package io.quarkiverse.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * A held lock. Not bound to a thread: any thread may query, extend or release it. What returns a {@code Uni} leads each
 * subscriber back to where it subscribed.
 *
 * <p>
 * A handle that becomes unreachable without being released is released by the JVM some time later, with a warning.
 */
public interface LockHandle extends AutoCloseable {

    /** The lock's name; for several names, all of them separated by commas. */
    String name();

    /**
     * A number greater than that of every earlier conflicting hold of this name. Send it with each write, and let the resource
     * refuse a write whose token is smaller than one it has seen: this keeps a paused holder from doing damage.
     *
     * @throws IllegalStateException if this handle is for several names, see {@link #fencingToken(String)}, or locks are
     *         switched off
     */
    long fencingToken();

    /**
     * The fencing token of one name, for a handle of several; see {@link LockManager#all}.
     *
     * @throws IllegalArgumentException if this handle has no such name
     */
    default long fencingToken(String name) {
        if (!name.equals(name())) {
            throw new IllegalArgumentException(
                    "This handle holds lock '" + PrintableName.of(name()) + "', not '" + PrintableName.of(name) + "'");
        }
        return fencingToken();
    }

    /**
     * Whether the lock is held for certain, judged by this JVM's monotonic clock alone: no I/O. Once {@code false} after a loss
     * or a release, it stays so.
     */
    boolean isValid();

    /** How long {@link #isValid} stays true without another renewal; zero if it is not true. No I/O. */
    Duration validFor();

    /**
     * Runs {@code callback} once if the lock is lost before it is released, even if only the release discovers that; never on a
     * normal release; at once if it is already lost. It runs on a notification thread of the extension, which it may block; on
     * Java 17 there are 32 of them, and callbacks that block all of them delay the others. Exceptions are logged.
     */
    void onLost(Runnable callback);

    /**
     * Completes with the reason when the lock is lost; never completes when it is released normally. Dependent stages run on a
     * notification thread of the extension.
     */
    CompletionStage<LockLostException> lost();

    /**
     * Whether somebody has asked for this lock with {@link LockManager#requestRelease}, or the application is stopping. It is
     * held and renewed as before; the holder decides when to give it back. Once {@code true}, it stays so. No I/O.
     */
    boolean isReleaseRequested();

    /**
     * Runs {@code callback} once if somebody asks for this lock with {@link LockManager#requestRelease} while it is held, or
     * the application begins to stop, which waits for the release. If that has already happened, it runs at once, on the
     * current thread; otherwise on a notification thread of the extension, which it may block as in {@link #onLost}.
     * Exceptions are logged.
     *
     * <pre>{@code
     * hold.onReleaseRequested(() -> export.finishAfterThisPage());
     * }</pre>
     */
    void onReleaseRequested(Runnable callback);

    /** {@link #onReleaseRequested} as a stage; it never completes if nobody asks. */
    CompletionStage<Void> releaseRequested();

    /**
     * Renews now, so that the lease is at least {@code lease} from now on, also in later renewals. It never shortens the lease:
     * use {@link #changeLease} for that. Several names are extended one after the other; if one fails, those after it have the
     * lease they had.
     *
     * @param lease between 1 second and 24 hours
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; the lock stays valid until {@link #validFor} is over.
     *         Also if the backend keeps no lease that long, as ZooKeeper beyond its session, or Redis and PostgreSQL beyond
     *         their {@code longest-lease}; {@code quarkus.lock.after-loss-delay} counts as part of it. Nothing has changed then
     * @throws LockInterruptedException if the thread is interrupted; the lease may have been extended nevertheless
     */
    void extend(Duration lease);

    /** {@link #extend} without blocking. */
    @CheckReturnValue
    Uni<Void> extendAsync(Duration lease);

    /**
     * Renews now, so that the lease is {@code lease} from now on, also in later renewals: longer or shorter than before.
     * Shorten it after a phase that needed a long lease: if the holder then dies, others need not wait that long.
     *
     * <pre>{@code
     * hold.extend(Duration.ofHours(1)); // the driver of the tape drive stops the whole JVM
     * rewind(tape);
     * hold.changeLease(Duration.ofSeconds(20));
     * }</pre>
     *
     * It never becomes shorter than the rest of {@code holdAtLeast}, nor shorter than other readers in this JVM that share the
     * same grant have requested. From this call on, {@link #validFor} is no longer than the new lease, whether or not the
     * backend answers. Several names are changed one after the other; if one fails, those after it have the lease they had.
     *
     * @param lease between 1 second and 24 hours
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; later renewals still ask it for the new lease. Also if the
     *         backend keeps no lease that long, as for {@link #extend}; nothing has changed then
     * @throws LockInterruptedException if the thread is interrupted; the lease may have been changed nevertheless
     */
    void changeLease(Duration lease);

    /** {@link #changeLease} without blocking. */
    @CheckReturnValue
    Uni<Void> changeLeaseAsync(Duration lease);

    /**
     * Changes how long from the grant the name stays taken, even if the lock is released sooner.
     * {@link LockOptions#holdAtLeast} sets the same when the lock is taken. If that time is over at the release, the name does
     * not stay taken. A shorter lease is extended, so that the name stays taken even if this JVM dies.
     *
     * @param holdAtLeast between zero and 24 hours, from the grant; with several names, from the grant of the last one
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the lease had to be extended and the backend does not answer; then nothing has changed,
     *         nor for any other name of this handle, although a lease may have been extended
     * @throws LockInterruptedException if the thread is interrupted; the same applies then
     * @throws IllegalStateException if the backend cannot keep a name after its release, or this lock is shared or has a limit
     */
    void changeHoldAtLeast(Duration holdAtLeast);

    /**
     * {@link #changeHoldAtLeast} without blocking. If it is cancelled before the answer, and before the release, nothing has
     * changed either. A release that the cancelled pipeline itself sends comes first, as with
     * {@code onTermination().call(handle::release)}: the names that have changed by then stay taken.
     */
    @CheckReturnValue
    Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast);

    /**
     * Lets readers in without giving up the lock: from now on it is held in {@link LockMode#SHARED} mode. No writer gets in
     * between, and a waiting one keeps waiting until this handle is also released. The fencing token stays the same.
     *
     * <pre>{@code
     * try (LockHandle hold = locks.lock("catalog").acquire()) {
     *     replace(catalog, hold.fencingToken());
     *     hold.downgrade(); // others may read it from here on
     *     announce(catalog);
     * }
     * }</pre>
     *
     * From this call on, the JVM treats it as a reader's, whatever the backend answers. There is no way back: release it, and
     * acquire the lock again.
     *
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; the lock stays held, and the backend is asked again until it
     *         answers, so readers elsewhere get in later
     * @throws LockInterruptedException if the thread is interrupted; the downgrade continues nevertheless
     * @throws IllegalStateException if the backend cannot do that, the lock is already shared, has a limit or
     *         {@code holdAtLeast}, or has another user: the surrounding {@link DistributedLock#call} or {@link Locked} method,
     *         or a transaction
     */
    void downgrade();

    /** {@link #downgrade} without blocking. */
    @CheckReturnValue
    Uni<Void> downgradeAsync();

    /**
     * Gives the lock back. Only the first call counts, from whatever thread; later ones only return its result.
     *
     * @return completes when the backend has answered; fails with {@link LockBackendException} if it does not within the
     *         operation timeout; the release is then retried in the background until the lease ends. The release starts with
     *         this call, not with the subscription.
     */
    Uni<Void> release();

    /**
     * Gives the lock back and waits for the backend's answer, for at most the operation timeout; on an event loop it only
     * starts the release. Never throws: a failed release is logged and retried in the background until the lease ends.
     */
    @Override
    void close();
}
