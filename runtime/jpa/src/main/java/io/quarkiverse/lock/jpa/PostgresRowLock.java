package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * PostgreSQL, in one round trip. An error there makes the whole transaction useless, also one that only says that the wait is
 * over: hence the savepoint, unless nothing was done in the transaction yet and beginning anew does as well. The transaction's
 * own lock_timeout is put back, since what the application waits for later is none of our business.
 */
final class PostgresRowLock implements RowLock {

    private static final String SAVE = "SAVEPOINT quarkus_lock; ";
    private static final String SAVED = "; RELEASE SAVEPOINT quarkus_lock";
    private static final String UNDO = "ROLLBACK TO SAVEPOINT quarkus_lock; RELEASE SAVEPOINT quarkus_lock";
    private static final String BEGIN_ANEW = "ROLLBACK";

    private final boolean driverTells = driverTells();
    private final String ask;
    private final String wait;
    private final String savedAsk;
    private final String savedWait;

    /**
     * The clock is read outside of the part that waits for the row, and so after it. In the other text each part needs what the
     * one before it says, which keeps them in order: what the limit was, the limit, the row, and at last the limit as it was,
     * also where there is no row.
     */
    PostgresRowLock(String table, String now) {
        String locked = "SELECT r.format, r.fence, " + now + ", pg_backend_pid()";
        String row = "(SELECT format, fence FROM " + table + " WHERE id = ?";
        ask = locked + " FROM " + row + " FOR UPDATE NOWAIT) r";
        wait = locked + ", set_config('lock_timeout', o.before, true)"
                + " FROM (SELECT current_setting('lock_timeout') AS before OFFSET 0) o"
                + " CROSS JOIN LATERAL (SELECT set_config('lock_timeout', ?, o.before IS NOT NULL) AS now OFFSET 0) w"
                + " LEFT JOIN LATERAL " + row + " AND w.now IS NOT NULL FOR UPDATE) r ON true";
        savedAsk = SAVE + ask + SAVED;
        savedWait = SAVE + wait + SAVED;
    }

    private static boolean driverTells() {
        try {
            Class.forName("org.postgresql.core.BaseConnection", false, PostgresRowLock.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        // Texts that stay the same: the driver has the database remember them
        boolean once = waitMillis == 0;
        boolean untouched = driverTells && untouched(connection);
        String text = untouched ? once ? ask : wait : once ? savedAsk : savedWait;
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            int parameter = 0;
            if (!once) {
                statement.setString(++parameter, Long.toString(Math.min(waitMillis, Integer.MAX_VALUE)));
            }
            statement.setString(++parameter, id);
            running.statement(statement);
            try {
                return read(statement, statement.execute());
            } catch (SQLException e) {
                undo(connection, untouched ? BEGIN_ANEW : UNDO, e);
                throw e;
            }
        }
    }

    /**
     * Whether the database has heard nothing of the connection's transaction: the driver begins it with its first statement.
     */
    private static boolean untouched(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class) && !connection.getAutoCommit()
                && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    }

    private static @Nullable Locked read(Statement statement, boolean first) throws SQLException {
        Locked locked = null;
        for (boolean rows = first; rows || statement.getUpdateCount() != -1; rows = statement.getMoreResults()) {
            if (rows) {
                try (ResultSet result = statement.getResultSet()) {
                    if (result.next() && result.getString(1) != null) {
                        locked = new Locked(result.getInt(1), result.getLong(2), result.getLong(3), result.getLong(4));
                    }
                }
            }
        }
        return locked;
    }

    private static void undo(Connection connection, String how, SQLException because) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(how);
        } catch (SQLException e) {
            because.addSuppressed(e); // the connection is broken, or the transaction was before
        }
    }

    @Override
    public String sessions(int count) {
        return "SELECT pid FROM pg_catalog.pg_stat_activity WHERE pid IN (" + "?, ".repeat(count - 1) + "?)";
    }
}
