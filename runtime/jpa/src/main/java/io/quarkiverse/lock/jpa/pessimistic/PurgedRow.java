package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.lock.jpa.table.Statements;

/**
 * Tells whoever finds a row locked, and does not wait, whether it may be the purge that has it for a moment: nobody holds such
 * a name. What is committed does not tell the purge from a holder that has not used the name for as long, so the row is asked
 * for again a few times.
 */
final class PurgedRow {

    private static final int LOOKS = 4;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    private final RowLock rowLock;
    private final String inUse;
    private final long idleMicros;

    PurgedRow(RowLock rowLock, Statements statements, Duration purgeAfter) {
        this.rowLock = rowLock;
        inUse = statements.inUse;
        idleMicros = TimeUnit.NANOSECONDS.toMicros(purgeAfter.toNanos());
    }

    /**
     * Whether to ask once more, after a pause.
     *
     * @param first whether the connection's transaction has done nothing yet
     * @param looks how often this was called before for the same request
     */
    boolean mayBe(Connection connection, String id, boolean first, int looks) throws SQLException {
        if (idleMicros == 0 || looks == LOOKS || looks == 0 && inUse(connection, id, first)) {
            return false;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return true;
    }

    /**
     * Not looked for if that would wait for a holder, or make the transaction see the database as it is before it has the lock.
     */
    private boolean inUse(Connection connection, String id, boolean first) throws SQLException {
        int isolation = connection.getTransactionIsolation();
        if (!rowLock.readsPastLocks(isolation)) {
            return true;
        }
        if (isolation <= Connection.TRANSACTION_READ_COMMITTED) {
            return inUse(connection, id);
        }
        if (!first || !Restart.of(connection, null)) {
            return true;
        }
        boolean inUse = inUse(connection, id);
        Restart.of(connection, null);
        return inUse;
    }

    private boolean inUse(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(inUse)) {
            statement.setString(1, id);
            statement.setLong(2, idleMicros);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }
}
