package io.quarkiverse.lock;

import java.time.Duration;
import java.util.Map;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * The lock in whose scope the caller is: that of the {@link Locked} method or {@code call} around it. Injectable.
 *
 * <pre>{@code
 * @Inject
 * CurrentLock lock;
 *
 * &#64;Locked("stock-{id}")
 * void sell(String id) {
 *     store.write(id, lock.fencingToken());
 * }
 * }</pre>
 *
 * Nothing here talks to the backend. A lock that was lost still has its token: the resource that it is sent to refuses it.
 */
public interface CurrentLock {

    /**
     * The fencing token of the innermost lock on this thread. If that lock has several names, ask by name.
     *
     * @throws IllegalStateException if the thread is not in the scope of a lock, or locks are switched off; in a pipeline use
     *         {@link #fencingTokenAsync()}
     */
    long fencingToken();

    /**
     * The fencing token of the lock of this name, on this thread.
     *
     * @throws IllegalStateException as for {@link #fencingToken()}
     */
    long fencingToken(String name);

    /** {@link #fencingToken()} inside the pipeline of a {@code Uni}: of the lock that this is subscribed to under. */
    @CheckReturnValue
    Uni<Long> fencingTokenAsync();

    /** {@link #fencingToken(String)} inside the pipeline of a {@code Uni}. */
    @CheckReturnValue
    Uni<Long> fencingTokenAsync(String name);

    /**
     * The fencing tokens of all locks in whose scope this thread is, by their names; empty outside of any, and where locks are
     * switched off.
     */
    Map<String, Long> fencingTokens();

    /** {@link #fencingTokens()} inside the pipeline of a {@code Uni}. */
    @CheckReturnValue
    Uni<Map<String, Long>> fencingTokensAsync();

    /**
     * Whether all locks in whose scope this thread is are held for certain, judged by this JVM's monotonic clock alone. A
     * method that works in steps should ask before each of them. Once {@code false} after a loss it stays so; {@code true}
     * where locks are switched off.
     *
     * <pre>{@code
     * @Locked(value = "export", onLost = NOTIFY)
     * void export() {
     *     while (pages.hasNext() && lock.isValid()) {
     *         write(pages.next(), lock.fencingToken());
     *     }
     * }
     * }</pre>
     *
     * @throws IllegalStateException if the thread is not in the scope of a lock; the pipeline of a {@code Uni} is none
     */
    boolean isValid();

    /**
     * For how long {@link #isValid} stays true without another renewal; zero when it is not. It is the shortest of the times of
     * all locks in whose scope this thread is.
     *
     * @throws IllegalStateException as for {@link #isValid()}
     */
    Duration validFor();

    /**
     * Runs {@code callback} once if any of the locks in whose scope this thread is now is lost before the innermost of these
     * scopes ends, or if the innermost lock is lost before it is released; never on a normal release; at once if one is lost
     * already. It runs on a thread that is kept for such news, and may block it; what it throws is logged. To be called once,
     * before the work begins: what is passed in is kept for that long.
     *
     * @throws IllegalStateException as for {@link #isValid()}
     */
    void onLost(Runnable callback);

    /**
     * Whether somebody has asked for any of the locks in whose scope this thread is, with {@link LockManager#requestRelease},
     * so that the method should finish soon; {@code false} outside of any, and where locks are switched off.
     *
     * <pre>{@code
     * @Locked("export")
     * void export() {
     *     while (pages.hasNext() && !lock.releaseRequested()) {
     *         write(pages.next());
     *     }
     * }
     * }</pre>
     */
    boolean releaseRequested();

    /** {@link #releaseRequested} inside the pipeline of a {@code Uni}: as of when this is subscribed to. */
    @CheckReturnValue
    Uni<Boolean> releaseRequestedAsync();
}
