package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Makes the driver stop waiting for the database's reply. */
public final class NetworkTimeout implements StepLimit {

    @Override
    public <T> T within(long deadline, Connection connection, Step<T> step) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run,
                (int) Math.max(50, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        try {
            return step.run(new LockConnection(connection));
        } finally {
            restore(connection, before);
        }
    }

    private static void restore(Connection connection, int timeout) {
        try {
            connection.setNetworkTimeout(Runnable::run, timeout);
        } catch (SQLException e) {
            // The connection is broken, which the step's own failure reports
        }
    }
}
