package io.quarkiverse.lock.spi;

/**
 * Features that not every backend has. A {@code @Locked} method that needs a feature its backend lacks is a build error; a call
 * through {@code LockManager} or a handle fails with an {@link IllegalArgumentException} or {@link IllegalStateException}.
 */
public enum Feature {
    /** Holds in {@link io.quarkiverse.lock.LockMode#SHARED} mode. */
    SHARED,
    /** Up to N holders of one name. */
    LIMIT,
    /** Methods that return a {@code Uni}, and the {@code Async} twins. */
    ASYNC,
    /**
     * A lease of its own for each lock. Without it, one in an annotation is a build error. One in {@code LockOptions} that is
     * longer than the backend can keep is shortened if it is renewed, and refused if it is not:
     * {@link LockBackend#checkUnrenewed}.
     */
    LEASE,
    /** A name that stays taken for a while after its release: {@link LockBackend#releaseAfter}. */
    HOLD_AT_LEAST,
    /**
     * A name that stays taken for a while after its holder's lease has ended without a release: the store keeps a grant as long
     * as it was told to, whatever happens to its JVM.
     */
    AFTER_LOSS_DELAY,
    /** Holders can be asked to finish: {@link LockBackend#requestRelease}. */
    REQUEST_RELEASE,
    /** An exclusive holder can let readers in without giving up the name: {@link LockBackend#downgrade}. */
    DOWNGRADE,
    /** Locks can be listed: {@link LockBackend#list}. */
    LIST
}
