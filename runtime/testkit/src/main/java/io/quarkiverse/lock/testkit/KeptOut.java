package io.quarkiverse.lock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;

/** Asserts that somebody else has a lock, even if the wait may be too short for an answer. */
public final class KeptOut {

    /** Enough for the store's answer on a busy machine. */
    private static final Duration ANSWERED = Duration.ofSeconds(2);

    private KeptOut() {
    }

    public static void assertKeptOut(DistributedLock lock, Duration wait) {
        assertKeptOut(lock, wait, "somebody else has it");
    }

    /**
     * Nobody gets the lock within {@code wait}. On a busy machine the store's first answer may take longer than that, and then
     * nobody knows who has the lock. The next attempt therefore waits longer for the answer.
     *
     * @param why the lock is taken, for the message of a failure
     */
    public static void assertKeptOut(DistributedLock lock, Duration wait, String why) {
        Optional<LockHandle> hold;
        try {
            hold = lock.tryAcquire(wait);
        } catch (LockBackendException e) {
            hold = lock.tryAcquire(ANSWERED);
        }
        assertThat(hold).as(why).isEmpty();
    }
}
