package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections outside the pool, and gives up in time. A driver may wait for ever for a server that accepts a connection
 * and says nothing, so each is opened on a thread of its own. What comes too late is closed.
 */
public final class BoundedConnections implements UnpooledConnections {

    private static final Logger LOG = Logger.getLogger(BoundedConnections.class);

    private final UnpooledConnections outside;
    private final long timeoutNanos;

    /** @param timeout how long to wait for a connection */
    public BoundedConnections(UnpooledConnections outside, Duration timeout) {
        this.outside = outside;
        timeoutNanos = timeout.toNanos();
    }

    /** Waits for it. Fails with an {@link SQLTransientConnectionException} if it does not come in time. */
    @Override
    public Connection open() throws SQLException {
        CompletableFuture<Connection> opening = opening();
        try {
            return opening.get();
        } catch (InterruptedException e) {
            opening.whenComplete((made, failure) -> end(made));
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while connecting", "08001", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof SQLException sql) {
                throw sql;
            }
            throw cause instanceof TimeoutException
                    ? new SQLTransientConnectionException("the server has not answered within "
                            + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms", "08001", cause)
                    : new SQLException(cause);
        }
    }

    /** Does not wait. Fails with a {@link TimeoutException} if the connection does not come in time. */
    CompletableFuture<Connection> opening() {
        var opening = new CompletableFuture<Connection>();
        try {
            var thread = new Thread(() -> open(opening), "quarkus-lock-jpa-connect");
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) { // there may be no thread available
            opening.completeExceptionally(e);
        }
        return opening.orTimeout(timeoutNanos, TimeUnit.NANOSECONDS);
    }

    private void open(CompletableFuture<Connection> opening) {
        try {
            Connection made = outside.open();
            if (!opening.complete(made)) {
                end(made);
            }
        } catch (SQLException | RuntimeException | Error e) {
            opening.completeExceptionally(e);
        }
    }

    static void end(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.debugf("A connection outside the pool could not be closed properly: %s", e.getMessage());
            }
        }
    }
}
