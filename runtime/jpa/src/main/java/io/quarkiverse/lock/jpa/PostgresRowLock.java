package io.quarkiverse.lock.jpa;

import java.sql.Connection;
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
    private static final String KEEP_TIMEOUT = "SELECT set_config('quarkus_lock.timeout', current_setting('lock_timeout'), true); "
            + "SET LOCAL lock_timeout = ";
    private static final String RESTORE_TIMEOUT = ", set_config('lock_timeout', current_setting('quarkus_lock.timeout'), true)";

    private final String select;
    private final String after;

    PostgresRowLock(String table, String now) {
        select = "SELECT format, fence FROM " + table + " WHERE id = '";
        after = "SELECT " + now + ", pg_backend_pid()";
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        // The id is a hash of ours, in hexadecimal digits
        String row = select + id + "' FOR UPDATE";
        String sql = waitMillis == 0 ? SAVE + row + " NOWAIT; " + after + "; RELEASE SAVEPOINT quarkus_lock"
                : SAVE + KEEP_TIMEOUT + Math.min(waitMillis, Integer.MAX_VALUE) + "; " + row + "; " + after + RESTORE_TIMEOUT
                        + "; RELEASE SAVEPOINT quarkus_lock";
        try (Statement statement = connection.createStatement()) {
            running.statement(statement);
            try {
                return read(statement, statement.execute(sql), waitMillis == 0 ? 0 : 1);
            } catch (SQLException e) {
                undo(connection, e);
                throw e;
            }
        }
    }

    /** The results of interest come after {@code skipped} others. */
    private static @Nullable Locked read(Statement statement, boolean first, int skipped) throws SQLException {
        int number = 0;
        Integer format = null;
        long fence = 0;
        Locked locked = null;
        for (boolean rows = first; rows || statement.getUpdateCount() != -1; rows = statement.getMoreResults()) {
            if (rows) {
                try (ResultSet result = statement.getResultSet()) {
                    boolean any = result.next();
                    if (number == skipped && any) {
                        format = result.getInt(1);
                        fence = result.getLong(2);
                    } else if (number == skipped + 1 && any && format != null) {
                        locked = new Locked(format, fence, result.getLong(1), result.getLong(2));
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
