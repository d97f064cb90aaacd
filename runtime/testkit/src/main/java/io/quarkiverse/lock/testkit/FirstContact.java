package io.quarkiverse.lock.testkit;

import java.time.Duration;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;

/**
 * Lets locks reach their store before anything is timed: on a busy machine a first connection takes longer than an operation
 * may, and no test is about that.
 *
 * <pre>{@code
 * FirstContact.await(engine.manager(ManagerDefaults.STANDARD), Duration.ofSeconds(20));
 * }</pre>
 */
public final class FirstContact {

    private FirstContact() {
    }

    /** Returns when the store has answered; fails if it has not in that time. */
    public static void await(LockManager locks, Duration atMost) {
        Await.until("the store answers", atMost, () -> {
            try {
                locks.inspect("nobody-holds-this");
                return true;
            } catch (LockBackendException e) {
                return false;
            }
        });
    }
}
