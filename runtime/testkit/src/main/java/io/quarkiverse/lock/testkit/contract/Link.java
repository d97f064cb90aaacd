package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;

/** The network path from one JVM to its store. */
public interface Link {

    /** Nothing gets through in either direction any more, and nobody is notified. */
    void cut();

    /** Ends all faults. Waits for the loss of the reply that {@link #loseReplyTo} asked for, and fails if it does not come. */
    void heal();

    /** Once: the store executes the next request about this lock, and its reply is lost. */
    default void loseReplyTo(String name) {
        throw new UnsupportedOperationException();
    }

    /** Requests arrive later by this delay, until {@link #heal}. */
    default void delayRequests(Duration delay) {
        throw new UnsupportedOperationException();
    }

    /** Once: all connections break; new ones are as before. */
    default void reset() {
        throw new UnsupportedOperationException();
    }

    /** A client of the store, behind its own link. */
    record Linked(io.quarkiverse.lock.spi.LockBackend backend, Link link) {
    }
}
