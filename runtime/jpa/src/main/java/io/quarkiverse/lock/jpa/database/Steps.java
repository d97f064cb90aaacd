package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** Runs steps of locks, each with a connection for its duration. */
public final class Steps {

    /** Between attempts of work that is repeated until it succeeds. */
    public static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    private static final int ATTEMPTS = 5;

    private final ConnectionSource connections;
    private final TransactionStart start;
    private final StepLimit limit;
    private final CallerTurns callerTurns;
    private final int brokenConnections;
    private final long timeoutNanos;
    /** What has to succeed first; null once it has. */
    private final AtomicReference<@Nullable Step<?>> first;

    /**
     * @param brokenConnections the most broken connections that a database restart may have left
     * @param operationTimeout the longest time for one operation
     */
    public Steps(ConnectionSource connections, TransactionStart start, StepLimit limit, CallerTurns callerTurns,
            int brokenConnections,
            Duration operationTimeout) {
        this(connections, start, limit, callerTurns, brokenConnections, operationTimeout.toNanos(), new AtomicReference<>());
    }

    private Steps(ConnectionSource connections, TransactionStart start, StepLimit limit, CallerTurns callerTurns,
            int brokenConnections, long timeoutNanos, AtomicReference<@Nullable Step<?>> first) {
        this.connections = connections;
        this.start = start;
        this.limit = limit;
        this.callerTurns = callerTurns;
        this.brokenConnections = brokenConnections;
        this.timeoutNanos = timeoutNanos;
        this.first = first;
    }

    /** The same steps on other connections. */
    public Steps on(ConnectionSource others) {
        return new Steps(others, start, limit, callerTurns, brokenConnections, timeoutNanos, first);
    }

    /** For a check that could not be made at the start: no other step runs before it has succeeded, on whichever connection. */
    public void first(Step<?> check) {
        first.set(check);
    }

    /** When an operation that starts now must be over. */
    public long deadline() {
        return System.nanoTime() + timeoutNanos;
    }

    /**
     * Runs a step, on a worker or in a caller's turn. Until {@code deadline}, retries it if it collides with others or its
     * connection is broken. After a restart of the database, all pooled connections are broken, and only their use shows it.
     *
     * <p>
     * The first attempt uses the data source's isolation level, which costs nothing. All steps are correct at READ COMMITTED,
     * and a higher level turns concurrent work into collisions. So after a collision the level is READ COMMITTED.
     */
    public <T> T call(long deadline, Step<T> step) throws SQLException {
        boolean collided = false;
        for (int attempt = 1;; attempt++) {
            boolean[] connected = new boolean[1];
            if (callerTurns.here() && deadline - System.nanoTime() <= 0) {
                throw new SQLTransientException("No time is left for another connection");
            }
            try {
                Step<T> all = afterFirst(step);
                return once(deadline, collided ? readCommitted(all) : all, connected);
            } catch (SQLException | RuntimeException e) {
                SqlFailure failure = SqlFailure.of(e);
                collided |= failure == SqlFailure.COLLISION;
                int attempts = switch (failure) {
                    case COLLISION -> ATTEMPTS;
                    // On a caller's thread, another connection could take as long again: leave it to a worker
                    case CONNECTION -> callerTurns.here() ? 1 : connected[0] ? brokenConnections + ATTEMPTS : 2;
                    case EXHAUSTED, DUPLICATE, REFUSED -> 1;
                };
                if (attempt >= attempts || deadline - System.nanoTime() <= 0) {
                    throw e;
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(
                        2L << Math.min(attempt, ATTEMPTS))));
            }
        }
    }

    private static <T> Step<T> readCommitted(Step<T> step) {
        return connection -> {
            try (var isolation = Isolation.of(connection.jdbc(), Connection.TRANSACTION_READ_COMMITTED)) {
                return step.run(connection);
            }
        };
    }

    private <T> T once(long deadline, Step<T> step, boolean[] connected) throws SQLException {
        Connection connection = connections.take(deadline);
        connected[0] = true;
        T result;
        try {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            result = limit.within(deadline, connection, step);
        } catch (SQLException | RuntimeException | Error e) {
            giveBackFailed(connection, e);
            throw e;
        }
        connections.giveBack(connection, null);
        return result;
    }

    private <T> Step<T> afterFirst(Step<T> step) {
        Step<?> check = first.get();
        return check == null ? step : connection -> {
            check.run(connection);
            first.set(null);
            return step.run(connection);
        };
    }

    private void giveBackFailed(Connection connection, Throwable because) {
        try {
            connections.giveBack(connection, because);
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    /** Runs a step as one short transaction, READ COMMITTED whatever the data source is set to. */
    public <T> T transaction(long deadline, Step<T> step) throws SQLException {
        return call(deadline, asTransaction(deadline, step));
    }

    /** What {@link #transaction} runs, for a connection that is there already. */
    public <T> Step<T> asTransaction(long deadline, Step<T> step) {
        Step<T> transaction = connection -> {
            Connection jdbc = connection.jdbc();
            boolean done = false;
            try {
                start.begin(jdbc, Math.max(50, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) / 2));
                T result = step.run(connection);
                jdbc.commit();
                done = true;
                return result;
            } finally {
                if (!done) {
                    rollback(jdbc);
                } else {
                    jdbc.setAutoCommit(true);
                }
            }
        };
        return start.readsCommitted() ? transaction : readCommitted(transaction);
    }

    private static void rollback(Connection jdbc) {
        try {
            jdbc.rollback();
            jdbc.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is broken, which the step's own failure reports
        }
    }
}
