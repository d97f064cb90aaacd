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
     * Several names as one lock, with the options of this manager's configuration: all or none are held, and the wait is for
     * all of them together. No I/O.
     *
     * <pre>{@code
     * try (LockHandle both = locks.all("account-" + from, "account-" + to).acquire()) {
     *     transfer(from, to, amount);
     * }
     * }</pre>
     *
     * They are taken in one step where the backend can do that and all are free (Redis, for names on one node); otherwise one
     * after the other, in one order whatever the order here: two callers cannot wait for each other, as long as neither holds
     * another lock meanwhile. What was taken in vain is given back at once, whatever {@code holdAtLeast} says. The handle is
     * valid only while all are held, and has a fencing token for each.
     *
     * @param names one or more; one that is there twice counts once
     * @throws IllegalArgumentException if there is none, or one is empty or too long
     */
    default DistributedLock all(String... names) {
        return all(LockOptions.DEFAULTS, names);
    }

    /**
     * {@link #all(String...)} with options.
     *
     * @param options what differs from this manager's configuration
     */
    DistributedLock all(LockOptions options, String... names);

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
