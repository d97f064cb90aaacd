package io.quarkiverse.lock.spi.support;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.text.PrintableName;

/**
 * For backends: claims that a JVM is removing from its store because nobody wants them any more. A withdrawal is retried until
 * the store has answered, and a closing backend waits for those under way. Thread-safe.
 */
public final class OngoingWithdrawals {

    private static final Logger LOG = Logger.getLogger(OngoingWithdrawals.class);
    /** After this time a store has forgotten a claim, unless its lease is longer. */
    private static final long SHORTEST_MEMORY = TimeUnit.SECONDS.toNanos(60);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();
    private int open;
    private volatile boolean closed;

    /** A withdrawal begins; {@link #end} must follow. */
    public void begin() {
        lock.lock();
        try {
            open++;
        } finally {
            lock.unlock();
        }
    }

    /** A withdrawal has ended. */
    public void end() {
        lock.lock();
        try {
            if (--open == 0) {
                none.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there are none, but no longer than this. */
    public void await(Duration atMost) {
        lock.lock();
        try {
            long left = atMost.toNanos();
            while (open > 0 && left > 0) {
                left = none.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** From now on, failed withdrawals are not retried. */
    public void close() {
        closed = true;
    }

    /** The attempts to withdraw a claim; the first is made now. */
    public Retries retries(Claim claim, Duration longestPause) {
        return new Retries(claim, longestPause);
    }

    /** Not thread-safe. */
    public final class Retries {

        private final Claim claim;
        private final Backoff pauses;
        private final long until;

        private Retries(Claim claim, Duration longestPause) {
            this.claim = claim;
            this.pauses = new Backoff(longestPause);
            this.until = System.nanoTime() + Math.max(SHORTEST_MEMORY, claim.leaseNanos());
        }

        /**
         * An attempt has failed.
         *
         * @param useless whether the store will never allow it
         * @return the delay before the next attempt, in ns; empty to give up: everything of the claim has expired, or is left
         *         to expire
         */
        public OptionalLong next(Throwable failure, boolean useless) {
            if (useless || closed || System.nanoTime() - until >= 0) {
                LOG.debugf("Claim %s is left to expire: %s", claim,
                        PrintableName.oneLine(String.valueOf(failure.getMessage())));
                return OptionalLong.empty();
            }
            return OptionalLong.of(pauses.next());
        }
    }
}
