package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Follows one hold from the request to the end, for somebody outside. Called on whatever thread knows the news, which must not
 * be kept waiting; what does not go with what was told before is to be ignored.
 */
public interface HoldTrace {

    /** The wait is over: the caller has the lock. */
    void granted(long fencingToken, boolean handedOver);

    /** The wait is over: somebody else has the lock. */
    void busy(@Nullable String heldBy);

    /** The wait is over: it was not to be known who has the lock. */
    void failed(@Nullable String why);

    /** The wait is over: the caller does not want the lock any more. */
    void givenUp();

    /** The hold was lost, which may turn out only at its release. */
    void lost(@Nullable String why);

    /**
     * The hold is over: its last user has left, and the backend has answered, or is not asked any more.
     *
     * @param lost whether it was lost, even if that is told only after this
     */
    void ended(boolean lost);
}
