package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.table.LockRow;

/**
 * MariaDB: waits are in whole seconds, and a timeout undoes only the statement. If it is configured to undo the whole
 * transaction, nobody would notice: the next statement begins a new one. A locking read sees the newest version of a row, but a
 * plain read sees the snapshot of the transaction's first read; so both are compared.
 */
public class MariaDbRowLock implements RowLock {

    /**
     * The statement's time is when it was sent, before the wait. The time elapsed since then is the difference to a clock that
     * is read for each row.
     */
    private static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) "
            + "+ GREATEST(0, TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)))";

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final String UNDOES_ALL = "SELECT @@innodb_rollback_on_timeout";

    /** With the user: others may not see its sessions. */
    private static final String SERVER = "CONCAT(@@hostname, ':', @@port, ':', @@server_id, ':', CURRENT_USER())";

    /** The wait is over, and so is the transaction. */
    private static final class AllUndone extends SQLException {

        private static final long serialVersionUID = 1L;

        AllUndone(SQLException cause) {
            super(cause.getMessage() + " (innodb_rollback_on_timeout is ON)", cause.getSQLState(), cause.getErrorCode(), cause);
        }
    }

    private final String table;
    private final String select;
    private final String insert;

    /**
     * The subquery is a plain read of the snapshot and runs after the row is locked; it must not be one that could be evaluated
     * earlier.
     */
    MariaDbRowLock(String table) {
        this.table = table;
        select = "SELECT l.format, l.fence, (SELECT s.fence FROM " + table + " s WHERE s.id = l.id), " + NOW
                + ", CONNECTION_ID(), " + SERVER + ", DATABASE() FROM " + table + " l WHERE l.id = ? FOR UPDATE";
        insert = "INSERT INTO " + table + " (id, name, format, fence, ticket, since, expires, shared_until, queue_until) "
                + "VALUES (?, ?, " + LockRow.FORMAT + ", " + LockRow.NEVER_HELD + ", 0, 0, 0, 0, 0) "
                + "ON DUPLICATE KEY UPDATE id = id";
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        return query(connection, id, waitMillis == 0 ? " NOWAIT" : " WAIT " + RowLock.seconds(waitMillis), running);
    }

    final @Nullable Locked query(Connection connection, String id, String wait, Running running) throws SQLException {
        Locked locked;
        long now;
        try (PreparedStatement statement = connection.prepareStatement(select + wait)) {
            running.statement(statement);
            statement.setString(1, id);
            try (ResultSet row = executed(connection, statement)) {
                if (!row.next()) {
                    return null;
                }
                long fence = row.getLong(2);
                if (fence != row.getLong(3) && fence != LockRow.NEVER_HELD) {
                    throw RowLock.stale(null); // somebody has held it since the snapshot
                }
                now = row.getLong(4);
                locked = new Locked(row.getInt(1), RowLock.nextFence(fence, now), now,
                        new Session(row.getString(6), row.getLong(5)), RowLock.inSchema(row.getString(7), table, '`'));
            }
        }
        RowLock.write(connection, table, id, locked.fence(), now);
        return locked;
    }

    @Override
    public boolean has(Connection connection, String id, Locked row) throws SQLException {
        try {
            return RowLock.super.has(connection, id, row);
        } catch (SQLException e) {
            throw undone(connection, e);
        }
    }

    private static ResultSet executed(Connection connection, PreparedStatement statement) throws SQLException {
        try {
            return statement.executeQuery();
        } catch (SQLException e) {
            throw undone(connection, e);
        }
    }

    private static SQLException undone(Connection connection, SQLException waited) throws SQLException {
        return waited.getErrorCode() == LOCK_WAIT_TIMEOUT && undoesAll(connection) ? new AllUndone(waited) : waited;
    }

    private static boolean undoesAll(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(UNDOES_ALL)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * A statement that commits, such as {@code CREATE TABLE}, releases the row as written. Only locking the row shows whether
     * somebody has it, and takes it back if nobody has had it since. At SERIALIZABLE, a plain read would wait for the others.
     */
    @Override
    public String unlessOthersHaveIt() {
        return " FOR UPDATE NOWAIT";
    }

    /** Its driver does so with {@code transactionReplay=true}. */
    @Override
    public String inSession() {
        return " AND CONNECTION_ID() = ?";
    }

    @Override
    public boolean readsPastLocks(int isolation) {
        return isolation < Connection.TRANSACTION_SERIALIZABLE;
    }

    @Override
    public RowLockFailure why(Throwable failure) {
        return SqlFailure.sql(failure) instanceof AllUndone ? RowLockFailure.BUSY_AND_UNDONE
                : RowLockErrors.MYSQL.of(failure);
    }

    /** The search has locked the gap: only its own transaction can insert there. */
    @Override
    public boolean insert(Connection connection, String id, String readable) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, id);
            statement.setString(2, readable);
            statement.executeUpdate();
        }
        return true;
    }

    @Override
    public String table() {
        return table;
    }

    @Override
    public String server() {
        return "SELECT " + SERVER;
    }

    @Override
    public String sessions(int count) {
        return "SELECT id FROM information_schema.processlist WHERE id IN (" + "?, ".repeat(count - 1) + "?)";
    }
}
