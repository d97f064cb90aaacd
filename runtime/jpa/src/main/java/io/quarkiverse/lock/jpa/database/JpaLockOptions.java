package io.quarkiverse.lock.jpa.database;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.PrintableDuration;

/**
 * How locks are kept in a database.
 *
 * @param operationTimeout the longest time for one operation
 * @param threads the most pooled connections in use at once
 * @param listen whether to listen to what others send through the database where that is possible (PostgreSQL)
 * @param purgeAfter rows unused for this long are deleted; zero never deletes any
 * @param dataSource the prefix of the data source's properties, for messages: {@code quarkus.datasource.}
 * @param graceLease the longest lease of all JVMs with these tables. After the database may have lost grants, nothing is
 *        granted for slightly longer than that; null to grant at once
 */
public record JpaLockOptions(Duration operationTimeout, int threads, boolean listen, Duration purgeAfter, String dataSource,
        @Nullable Duration graceLease) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST_GRACE = Duration.ofHours(24);
    private static final Duration LONGEST_OPERATION = Duration.ofDays(365);
    /** As a number of nanoseconds, it can still be added to a clock. */
    private static final Duration LONGEST_IDLE = Duration.ofDays(36_500);

    /** What the extension uses unless it is configured otherwise. */
    public static final JpaLockOptions STANDARD = new JpaLockOptions(Duration.ofSeconds(5), 8, true, Duration.ofDays(7),
            "quarkus.datasource.", null);

    public JpaLockOptions {
        if (operationTimeout.compareTo(SHORTEST) < 0 || operationTimeout.compareTo(LONGEST_OPERATION) > 0) {
            throw new IllegalArgumentException("quarkus.lock.jpa.operation-timeout is " + operationTimeout
                    + ", but must be between 100ms and 365 days");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("quarkus.lock.jpa.threads is " + threads + ", but must be at least 1");
        }
        if (!purgeAfter.isZero()
                && (purgeAfter.compareTo(Duration.ofMinutes(1)) < 0 || purgeAfter.compareTo(LONGEST_IDLE) > 0)) {
            throw new IllegalArgumentException("quarkus.lock.jpa.purge-after is " + purgeAfter
                    + ", but must be between 1m and 36500 days, or 0 to keep all rows");
        }
        if (graceLease != null && (graceLease.compareTo(SHORTEST) < 0 || graceLease.compareTo(LONGEST_GRACE) > 0)) {
            throw new IllegalArgumentException("quarkus.lock.jpa.longest-lease is " + PrintableDuration.of(graceLease)
                    + ", but must be between 100ms and 24h");
        }
    }

    /** The same with another operation timeout. */
    public JpaLockOptions withOperationTimeout(Duration timeout) {
        return new JpaLockOptions(timeout, threads, listen, purgeAfter, dataSource, graceLease);
    }

    /** The same with or without listening to the database. */
    public JpaLockOptions withListen(boolean on) {
        return new JpaLockOptions(operationTimeout, threads, on, purgeAfter, dataSource, graceLease);
    }

    /** The same with a grace after the database may have lost grants, no grant having a longer lease than this. */
    public JpaLockOptions withGrace(Duration longestLease) {
        return new JpaLockOptions(operationTimeout, threads, listen, purgeAfter, dataSource, longestLease);
    }
}
