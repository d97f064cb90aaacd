package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Follows one hold from the request to the end, for an outside observer. Called on whichever thread has the news; it must not
 * block that thread. Ignore news that contradicts earlier news.
 */
public interface HoldTrace {

    /** The wait is over: the caller has the lock. */
    void granted(long fencingToken, boolean handedOver);

    /** The wait is over: another caller has the lock. */
    void busy(@Nullable String heldBy);

    /** The wait is over: who has the lock could not be determined. */
    void failed(@Nullable String why);

    /** The wait is over: the caller no longer wants the lock. */
    void givenUp();

    /** The hold was lost, which may turn out only at its release. */
    void lost(@Nullable String why);

    /**
     * The hold is over: its last user has left, and the backend has answered or is no longer asked.
     *
     * @param lost whether it was lost, even if {@link #lost} is called only after this
     */
    void ended(boolean lost);
}
