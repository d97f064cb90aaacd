package io.quarkiverse.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * A lock that is held. Not bound to a thread: any thread may ask, extend or release.
 *
 * <p>
 * A handle that becomes unreachable without having been released is released by the JVM some time later, with a warning.
 */
public interface LockHandle extends AutoCloseable {

    /** The lock's name; for several, all of them with commas between. */
    String name();

    /**
     * A number greater than that of every earlier conflicting hold of this name. Send it with each write, and let the resource
     * refuse a write whose token is smaller than one it has seen: that is what keeps a paused holder from doing damage.
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
                    "Lock '" + PrintableName.of(name) + "' is not the one held: " + PrintableName.of(name()));
        }
        return fencingToken();
    }

    /**
     * Whether the lock is held for certain, judged by this JVM's monotonic clock alone: no I/O. Once {@code false} after a loss
     * or a release it stays so.
     */
    boolean isValid();

    /** For how long {@link #isValid} stays true without another renewal; zero when it is not. No I/O. */
    Duration validFor();

    /**
     * Runs {@code callback} once if the lock is lost before it is released, even if only the release finds that; never on a
     * normal release; at once if it is lost already. It runs on a thread that is kept for such news, and may block it. What it
     * throws is logged.
     */
    void onLost(Runnable callback);

    /**
     * Completes with the reason when the lock is lost; never completes when it is released normally. Dependent stages run on a
     * thread that is kept for such news.
     */
    CompletionStage<LockLostException> lost();

    /**
     * Whether somebody has asked for this lock with {@link LockManager#requestRelease}. It is held and renewed as
     * before; when to give it back is the holder's choice. Once {@code true} it stays so. No I/O.
     */
    boolean isReleaseRequested();

    /**
     * Runs {@code callback} once if somebody asks for this lock with {@link LockManager#requestRelease} while it is held; at
     * once, on the current thread, if that has happened already, otherwise on a thread that is kept for such news.
     *
     * <pre>{@code
     * hold.onReleaseRequested(() -> export.finishAfterThisPage());
     * }</pre>
     */
    void onReleaseRequested(Runnable callback);

    /** {@link #onReleaseRequested} as a stage; it never completes when nobody asks. */
    CompletionStage<Void> releaseRequested();

    /**
     * Renews now, so that the lease is at least {@code lease} from now on, with later renewals as well. It never makes it
     * shorter: that is {@link #changeLease}.
     *
     * @param lease between 1 second and 24 hours
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; the lock stays valid until {@link #validFor} is over
     * @throws LockInterruptedException if the thread is interrupted; the lease may have been extended nevertheless
     */
    void extend(Duration lease);

    /** {@link #extend} without blocking. */
    @CheckReturnValue
    Uni<Void> extendAsync(Duration lease);

    /**
     * Renews now, so that the lease is {@code lease} from now on, with later renewals as well: longer or shorter than it was.
     * After a phase that needed a long lease, others need not wait that long for a holder that dies.
     *
     * <pre>{@code
     * hold.extend(Duration.ofHours(1)); // the driver of the tape drive stops the whole JVM
     * rewind(tape);
     * hold.changeLease(Duration.ofSeconds(20));
     * }</pre>
     *
     * It does not become shorter than what is left of {@code holdAtLeast}, nor than what other readers in this JVM that share
     * the same grant have asked for. From this call on {@link #validFor} is no longer than the new lease, whether or not the
     * backend answers.
     *
     * @param lease between 1 second and 24 hours
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; later renewals ask it for the new lease all the same
     * @throws LockInterruptedException if the thread is interrupted; the lease may have been changed nevertheless
     */
    void changeLease(Duration lease);

    /** {@link #changeLease} without blocking. */
    @CheckReturnValue
    Uni<Void> changeLeaseAsync(Duration lease);

    /**
     * Changes for how long from the grant the name stays taken even when it is released sooner, as
     * {@link LockOptions#holdAtLeast} says when it is taken. If that time is over at the release, it does not stay taken. A
     * lease that is shorter is extended, so that the name stays taken if this JVM dies, too.
     *
     * @param holdAtLeast between zero and 24 hours, from the grant
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the lease had to be extended and the backend does not answer; nothing has changed then
     * @throws LockInterruptedException if the thread is interrupted; it may have been changed nevertheless
     * @throws IllegalStateException if the backend cannot keep a name after its release, or this lock is shared or has a limit
     */
    void changeHoldAtLeast(Duration holdAtLeast);

    /** {@link #changeHoldAtLeast} without blocking. */
    @CheckReturnValue
    Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast);

    /**
     * Lets readers in without giving the lock up: from here on it is held in {@link LockMode#SHARED} mode. No writer comes in
     * between, and one that waits keeps waiting until this handle is released, too. The fencing token stays the same.
     *
     * <pre>{@code
     * try (LockHandle hold = locks.lock("catalog").acquire()) {
     *     replace(catalog, hold.fencingToken());
     *     hold.downgrade(); // others may read it from here on
     *     announce(catalog);
     * }
     * }</pre>
     *
     * This JVM treats it as a reader's from the call on, whatever the backend answers. There is no way back: release it, and
     * acquire the lock again.
     *
     * @throws LockLostException if the lock is no longer held
     * @throws LockBackendException if the backend does not answer; the lock stays held, and the backend is asked again until
     *         it does, so that readers elsewhere come in later
     * @throws LockInterruptedException if the thread is interrupted; the downgrade goes on nevertheless
     * @throws IllegalStateException if the backend cannot do that, the lock is shared already, has a limit or
     *         {@code holdAtLeast}, or is used by somebody else as well: by the {@link DistributedLock#call} or the
     *         {@link Locked} method around, or by a transaction
     */
    void downgrade();

    /** {@link #downgrade} without blocking. */
    @CheckReturnValue
    Uni<Void> downgradeAsync();

    /**
     * Gives the lock back. The first call counts, from whatever thread; the others do nothing more.
     *
     * @return completes when the backend has answered; fails with {@link LockBackendException} when it does not within
     *         the operation timeout, and the release is then tried again in the background until the lease ends. The
     *         release starts with this call, not with the subscription.
     */
    Uni<Void> release();

    /**
     * Gives the lock back and waits for the backend's answer, for at most the operation timeout; on an event loop it only
     * starts the release. Never throws: a release that fails is logged and tried again in the background until the lease ends.
     */
    @Override
    void close();
}
