package io.quarkiverse.lock;

import java.util.List;
import java.util.Optional;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * Hands out locks by name. Injectable; {@link LockManagerName} picks one of several.
 *
 * <pre>{@code
 * @Inject
 * LockManager locks;
 *
 * try (LockHandle hold = locks.lock("stock-7").acquire()) {
 *     store.write(data, hold.fencingToken());
 * }
 * }</pre>
 *
 * All methods can be called from any thread. Those that talk to the backend block and are refused on an event loop; their
 * {@code Async} twins never block and do nothing until they are subscribed to.
 */
public interface LockManager {

    /**
     * The lock of this name, with the options of this manager's configuration. No I/O.
     *
     * @param name any non-empty string of up to 1,024 characters, case-sensitive
     * @throws IllegalArgumentException if the name is empty or too long
     */
    default DistributedLock lock(String name) {
        return lock(name, LockOptions.DEFAULTS);
    }

    /**
     * The lock of this name. No I/O.
     *
     * @param name any non-empty string of up to 1,024 characters, case-sensitive
     * @param options what differs from this manager's configuration
     * @throws IllegalArgumentException if the name is empty or too long, or the options are out of bounds
     */
    DistributedLock lock(String name, LockOptions options);

    /**
     * Who holds this name now, anywhere, and how many wait for it; empty when nobody does.
     *
     * @throws LockBackendException if the backend does not answer
     */
    Optional<LockInfo> inspect(String name);

    /** {@link #inspect} without blocking. */
    @CheckReturnValue
    Uni<Optional<LockInfo>> inspectAsync(String name);

    /**
     * Takes the lock away from whoever holds it. For operators: the holder is told that it lost the lock but may still be at
     * work. Later holders get a greater fencing token.
     *
     * @return whether anybody held it
     * @throws LockBackendException if the backend does not answer
     */
    boolean forceRelease(String name);

    /** {@link #forceRelease} without blocking. */
    @CheckReturnValue
    Uni<Boolean> forceReleaseAsync(String name);

    /** What this JVM holds now, through any manager on the same backend. No I/O. */
    List<HeldLock> held();
}
