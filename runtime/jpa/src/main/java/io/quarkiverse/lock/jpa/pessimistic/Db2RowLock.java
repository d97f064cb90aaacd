package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

/** Db2, experimental: Hibernate cannot bound a wait there. The timeout is a session setting, which is restored afterwards. */
public final class Db2RowLock implements RowLock {

    private static final String SET = "SET CURRENT LOCK TIMEOUT ";

    private final RowLock unbounded;

    Db2RowLock(RowLock unbounded) {
        this.unbounded = unbounded;
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        String before = before(connection);
        execute(connection, SET + (waitMillis == 0 ? "NOT WAIT" : "WAIT " + Math.min(32_767, RowLock.seconds(waitMillis))));
        try {
            return unbounded.lock(connection, id, waitMillis, running);
        } finally {
            restore(connection, before);
        }
    }

    /** -1 waits for ever; NULL uses the database's setting. */
    private static String before(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("VALUES CURRENT LOCK TIMEOUT")) {
            return row.next() && row.getString(1) != null ? row.getString(1) : "NULL";
        }
    }

    private static void restore(Connection connection, String before) {
        try {
            execute(connection, SET + before);
        } catch (SQLException e) {
            // The connection is broken, which the lock's own failure reports
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public boolean readsPastLocks(int isolation) {
        return unbounded.readsPastLocks(isolation);
    }

    @Override
    public RowLockFailure why(Throwable failure) {
        return unbounded.why(failure);
    }

    @Override
    public String table() {
        return unbounded.table();
    }
}
