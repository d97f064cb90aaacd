package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.SqlFailure;

/**
 * H2: when the wait is over, it undoes only the statement. Its clock stands still within a transaction, but its session
 * information includes the time at which a statement began.
 */
public final class H2RowLock implements RowLock {

    private static final String AFTER = "SELECT CAST(EXTRACT(EPOCH FROM executing_statement_start) * 1000000 AS BIGINT) "
            + "FROM information_schema.sessions WHERE session_id = SESSION_ID()";

    // An administrator's query reads all sessions; if one commits meanwhile, H2 fails on what that session has just released
    private static final int GENERAL_ERROR = 50000;
    private static final int ASKED = 20;

    private final String table;
    private final String select;

    H2RowLock(String table) {
        this.table = table;
        select = "SELECT format, fence, SCHEMA() FROM " + table + " WHERE id = ? FOR UPDATE ";
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        long wait = Math.min(waitMillis, Integer.MAX_VALUE); // more is a syntax error
        String bounded = wait == 0 ? "NOWAIT"
                : "WAIT " + wait / 1000 + "." + String.format(Locale.ROOT, "%03d", wait % 1000);
        long start = System.nanoTime();
        try (PreparedStatement statement = connection.prepareStatement(select + bounded)) {
            statement.setString(1, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                long now = now(connection);
                long fence = RowLock.nextFence(row.getLong(2), now);
                RowLock.write(connection, table, id, fence, now);
                return new Locked(row.getInt(1), fence, now, null, RowLock.inSchema(row.getString(3), table, '"'));
            }
        } catch (SQLException e) {
            if (why(e) == RowLockFailure.DEADLOCK
                    && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
                throw RowLock.stale(e); // or a deadlock, which has the same error code
            }
            // An interrupt ends the wait like a timeout, and clears the flag
            long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            if (why(e) == RowLockFailure.BUSY && waited + 20 < waitMillis) {
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    @Override
    public boolean has(Connection connection, String id, Locked row) throws SQLException {
        try {
            return RowLock.super.has(connection, id, row);
        } catch (SQLException e) {
            if (!SqlFailure.noTable(e)) {
                throw e;
            }
            // The table was found through SCHEMA_SEARCH_PATH
            return RowLock.super.has(connection, id, new Locked(row.format(), row.fence(), row.since(), null, table));
        }
    }

    /**
     * A statement that commits, such as {@code CREATE TABLE}, releases the row as written. Only locking the row shows whether
     * somebody has it, and takes it back if nobody has had it since.
     */
    @Override
    public String unlessOthersHaveIt() {
        return " FOR UPDATE NOWAIT";
    }

    @Override
    public RowLockFailure why(Throwable failure) {
        return RowLockErrors.H2.of(failure);
    }

    @Override
    public String table() {
        return table;
    }

    static long now(Connection connection) throws SQLException {
        for (int left = ASKED; left > 1; left--) {
            try {
                return askNow(connection);
            } catch (SQLException e) {
                if (e.getErrorCode() != GENERAL_ERROR) {
                    throw e;
                }
            }
        }
        return askNow(connection);
    }

    private static long askNow(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AFTER); ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
