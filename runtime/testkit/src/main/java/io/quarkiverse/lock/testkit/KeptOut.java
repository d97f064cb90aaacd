package io.quarkiverse.lock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;

/** That somebody else has a lock, asked with a wait too short to be sure of an answer. */
public final class KeptOut {

    /** Enough for the store's answer on a busy machine. */
    private static final Duration ANSWERED = Duration.ofSeconds(2);

    private KeptOut() {
    }

    public static void assertKeptOut(DistributedLock lock, Duration wait) {
        assertKeptOut(lock, wait, "somebody else has it");
    }

    /**
     * Nobody gets the lock in so short a time. The store's first answer may take longer than that on a busy machine, and then
     * nobody knows who has it: the next attempt waits longer for the answer.
     *
     * @param why it is taken, for the message of a failure
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
