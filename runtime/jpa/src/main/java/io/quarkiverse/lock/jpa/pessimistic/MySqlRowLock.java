package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

/**
 * MySQL: like MariaDB, but the timeout is a session setting. It is restored afterwards, and changed only if there is something
 * to wait for.
 */
public final class MySqlRowLock extends MariaDbRowLock {

    MySqlRowLock(String table) {
        super(table);
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        try {
            return super.lock(connection, id, 0, running);
        } catch (SQLException e) {
            if (waitMillis == 0 || why(e) != RowLockFailure.BUSY) {
                throw e;
            }
        }
        execute(connection, "SET @quarkus_lock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = "
                + RowLock.seconds(waitMillis));
        try {
            return query(connection, id, "", running);
        } finally {
            restore(connection);
        }
    }

    private static void restore(Connection connection) {
        try {
            execute(connection, "SET SESSION innodb_lock_wait_timeout = @quarkus_lock_wait");
        } catch (SQLException e) {
            // The connection is broken, which the query's own failure reports
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
