package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL, in one round trip. An error there makes the whole transaction useless, also one that only says that the wait is
 * over: hence the savepoint. The transaction's own lock_timeout is put back, since what the application waits for later is none
 * of our business.
 */
final class PostgresRowLock implements RowLock {

    private static final String SAVE = "SAVEPOINT quarkus_lock; ";
    private static final String UNDO = "ROLLBACK TO SAVEPOINT quarkus_lock; RELEASE SAVEPOINT quarkus_lock";
    private static final String TIMEOUT = "SELECT set_config('quarkus_lock.timeout', current_setting('lock_timeout'), true), "
            + "set_config('lock_timeout', ?, true); ";
    private static final String RESTORE_TIMEOUT = "SELECT set_config('lock_timeout', current_setting('quarkus_lock.timeout'), true); ";

    private final String ask;
    private final String wait;

    /** The clock is read outside of the part that waits for the row, and so after it. */
    PostgresRowLock(String table, String now) {
        String locked = "SELECT r.format, r.fence, " + now + ", pg_backend_pid()";
        String row = " FROM (SELECT format, fence FROM " + table + " WHERE id = ? FOR UPDATE";
        String end = "RELEASE SAVEPOINT quarkus_lock";
        ask = SAVE + locked + row + " NOWAIT) r; " + end;
        wait = SAVE + TIMEOUT + locked + row + ") r; " + RESTORE_TIMEOUT + end;
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        // Texts that stay the same: the driver has the database remember them
        boolean once = waitMillis == 0;
        try (PreparedStatement statement = connection.prepareStatement(once ? ask : wait)) {
            int parameter = 0;
            if (!once) {
                statement.setString(++parameter, Long.toString(Math.min(waitMillis, Integer.MAX_VALUE)));
            }
            statement.setString(++parameter, id);
            running.statement(statement);
            try {
                return read(statement, statement.execute(), parameter - 1);
            } catch (SQLException e) {
                undo(connection, e);
                throw e;
            }
        }
    }

    /** The result of interest comes after {@code skipped} others. */
    private static @Nullable Locked read(Statement statement, boolean first, int skipped) throws SQLException {
        int number = 0;
        Locked locked = null;
        for (boolean rows = first; rows || statement.getUpdateCount() != -1; rows = statement.getMoreResults()) {
            if (rows) {
                try (ResultSet result = statement.getResultSet()) {
                    if (number == skipped && result.next()) {
                        locked = new Locked(result.getInt(1), result.getLong(2), result.getLong(3), result.getLong(4));
                    }
                }
                number++;
            }
        }
        return locked;
    }

    private static void undo(Connection connection, SQLException because) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(UNDO);
        } catch (SQLException e) {
            because.addSuppressed(e); // the connection is broken, or the transaction was before
        }
    }

    @Override
    public String sessions(int count) {
        return "SELECT pid FROM pg_catalog.pg_stat_activity WHERE pid IN (" + "?, ".repeat(count - 1) + "?)";
    }
}
