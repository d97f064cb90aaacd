package io.quarkiverse.lock.engine.state;

/** How often a lease is renewed: three times while it lasts, so that two renewals may fail before it is over. */
final class RenewalInterval {

    private RenewalInterval() {
    }

    /** Nanoseconds between two renewals of a lease of that many. */
    static long of(long leaseNanos) {
        return leaseNanos / 3;
    }
}
