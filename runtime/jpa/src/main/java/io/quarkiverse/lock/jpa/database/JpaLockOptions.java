package io.quarkiverse.lock.jpa.database;

import java.time.Duration;

/**
 * How locks are kept in a database.
 *
 * @param operationTimeout how long one operation takes at most
 * @param threads how many connections of the pool are used at once at most
 * @param listen whether to wake waiting JVMs through the database where that is possible (PostgreSQL)
 * @param purgeAfter rows that were not used for so long are deleted; zero never deletes any
 * @param dataSource begins the properties of the data source, for messages: {@code quarkus.datasource.}
 */
public record JpaLockOptions(Duration operationTimeout, int threads, boolean listen, Duration purgeAfter, String dataSource) {

    /** What the extension uses unless it is configured otherwise. */
    public static final JpaLockOptions STANDARD = new JpaLockOptions(Duration.ofSeconds(5), 8, true, Duration.ofDays(7),
            "quarkus.datasource.");

    public JpaLockOptions {
        if (operationTimeout.toMillis() < 100) {
            throw new IllegalArgumentException("quarkus.lock.jpa.operation-timeout is " + operationTimeout
                    + ", but must be at least 100ms");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("quarkus.lock.jpa.threads is " + threads + ", but must be at least 1");
        }
        if (purgeAfter.isNegative() || !purgeAfter.isZero() && purgeAfter.compareTo(Duration.ofMinutes(1)) < 0) {
            throw new IllegalArgumentException("quarkus.lock.jpa.purge-after is " + purgeAfter
                    + ", but must be at least 1m, or 0 to keep all rows");
        }
    }

    /** The same with another time for one operation. */
    public JpaLockOptions withOperationTimeout(Duration timeout) {
        return new JpaLockOptions(timeout, threads, listen, purgeAfter, dataSource);
    }

    /** The same with or without waking through the database. */
    public JpaLockOptions withListen(boolean on) {
        return new JpaLockOptions(operationTimeout, threads, on, purgeAfter, dataSource);
    }
}
