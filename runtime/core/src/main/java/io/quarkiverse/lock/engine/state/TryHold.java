package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * A hold that does not wait and may share the name with others. Only the backend knows whether there is room, and the hold must
 * not wait for that behind others. So it asks on its own, outside the line.
 */
public final class TryHold extends LockHold {

    /** Guarded by the queue. */
    @Nullable
    public ClaimAttempt attempt;

    public TryHold(NameQueue queue, HoldSettings settings, long requestedAt, @Nullable Thread thread,
            @Nullable Waiter waiter) {
        super(queue, settings, requestedAt, thread, waiter);
    }
}
