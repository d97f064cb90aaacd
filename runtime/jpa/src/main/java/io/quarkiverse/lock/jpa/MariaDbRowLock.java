package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/** MariaDB: it waits for whole seconds, and undoes only the statement when the wait is over. */
class MariaDbRowLock implements RowLock {

    /**
     * The statement's time is when it was sent, before the wait; what has passed since then is the difference to a clock that
     * is read for each row.
     */
    private static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) "
            + "+ GREATEST(0, TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)))";

    private final String select;

    MariaDbRowLock(String table) {
        select = "SELECT format, fence, " + NOW + ", CONNECTION_ID() FROM " + table + " WHERE id = ? FOR UPDATE";
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        return query(connection, id, waitMillis == 0 ? " NOWAIT" : " WAIT " + RowLock.seconds(waitMillis), running);
    }

    final @Nullable Locked query(Connection connection, String id, String wait, Running running) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select + wait)) {
            running.statement(statement);
            statement.setString(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? new Locked(row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4)) : null;
            }
        }
    }

    @Override
    public String sessions(int count) {
        return "SELECT id FROM information_schema.processlist WHERE id IN (" + "?, ".repeat(count - 1) + "?)";
    }
}
