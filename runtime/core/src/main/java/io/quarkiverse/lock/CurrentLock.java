package io.quarkiverse.lock;

import java.time.Duration;
import java.util.Map;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * The lock that encloses the caller: that of the surrounding {@link Locked} method or {@code call}. Injectable.
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
 * Nothing here talks to the backend. A lost lock still has its token: the resource that receives it refuses it.
 */
public interface CurrentLock {

    /**
     * The fencing token of the innermost lock on this thread.
     *
     * @throws IllegalStateException if that lock has several names, each of which has its own token: use
     *         {@link #fencingToken(String)}; if the thread is not in the scope of a lock, or in those of several backends, or
     *         if locks are switched off; in a pipeline use {@link #fencingTokenAsync()}
     */
    long fencingToken();

    /**
     * The fencing token of the lock of this name, on this thread.
     *
     * @throws IllegalStateException if the thread is not in the scope of a lock of this name, or in those of several backends,
     *         or if locks are switched off; in a pipeline use {@link #fencingTokenAsync(String)}
     */
    long fencingToken(String name);

    /**
     * {@link #fencingToken()} inside the pipeline of a {@code Uni}: the token of the lock under which this is subscribed to. It
     * fails as that one does.
     */
    @CheckReturnValue
    Uni<Long> fencingTokenAsync();

    /** {@link #fencingToken(String)} inside the pipeline of a {@code Uni}. */
    @CheckReturnValue
    Uni<Long> fencingTokenAsync(String name);

    /**
     * The fencing tokens of all locks whose scope this thread is in, by name; empty outside any scope, and if locks are
     * switched off.
     *
     * @throws IllegalStateException if locks of two backends have the same name: use {@link LockHandle#fencingToken()}
     */
    Map<String, Long> fencingTokens();

    /** {@link #fencingTokens()} inside the pipeline of a {@code Uni}. */
    @CheckReturnValue
    Uni<Map<String, Long>> fencingTokensAsync();

    /**
     * Whether all locks whose scope this thread is in are held for certain, judged by this JVM's monotonic clock alone. A
     * method that works in steps should ask before each step. Once {@code false} after a loss, it stays so; {@code true} if
     * locks are switched off.
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
     * @throws IllegalStateException if the thread is not in the scope of a lock; the pipeline of a {@code Uni} is not one
     */
    boolean isValid();

    /**
     * How long {@link #isValid} stays true without another renewal; zero if it is not true. It is the shortest such time of all
     * locks whose scope this thread is in.
     *
     * @throws IllegalStateException as for {@link #isValid()}
     */
    Duration validFor();

    /**
     * Runs {@code callback} once if any lock whose scope this thread is now in is lost before the innermost of these scopes
     * ends, or if the innermost lock is lost before it is released. Runs it at once if one is already lost, and never on a
     * normal release. It runs on a notification thread of the extension, which it may block; exceptions are logged. Call this
     * once, before the work begins: the callback is kept for all that time.
     *
     * @throws IllegalStateException as for {@link #isValid()}
     */
    void onLost(Runnable callback);

    /**
     * Whether somebody has asked, with {@link LockManager#requestRelease}, for any lock whose scope this thread is in, or the
     * application is stopping, so that the method should finish soon; {@code false} outside any scope, and if locks are
     * switched off. Nobody asks for a lock that is lost: see {@link #isValid}.
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

    /** {@link #releaseRequested} inside the pipeline of a {@code Uni}: as of the subscription. */
    @CheckReturnValue
    Uni<Boolean> releaseRequestedAsync();
}
