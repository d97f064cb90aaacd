package io.quarkiverse.lock.testkit;

import java.time.Duration;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;

/**
 * Makes locks contact their store before anything is timed. On a busy machine a first connection takes longer than an operation
 * may, and no test is about that.
 *
 * <pre>{@code
 * FirstContact.await(engine.manager(ManagerDefaults.STANDARD), Duration.ofSeconds(20));
 * }</pre>
 */
public final class FirstContact {

    private FirstContact() {
    }

    /** Returns when the store has answered; fails if it has not answered by then. */
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
