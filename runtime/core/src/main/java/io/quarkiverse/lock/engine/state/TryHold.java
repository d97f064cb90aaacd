package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * A hold that does not wait, and that others may hold the name together with: whether there is room is the backend's to say,
 * and not to be waited for behind those who wait. So it asks by itself.
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
