package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Isolation;
import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.database.PostgresDriver.Transaction;

/**
 * PostgreSQL, in one round trip unless there is something to wait for. Any error there makes the whole transaction useless,
 * even a mere timeout. So a savepoint precedes a wait, unless the transaction has done nothing yet and can simply be restarted.
 * A lock_timeout applies to each transaction that a statement waits for, so a statement_timeout bounds all of these waits
 * together. The transaction's own limits are restored, because later waits are the application's business. A transaction whose
 * snapshot is older than the row cannot write it, which is an error of the database.
 */
public final class PostgresRowLock implements RowLock {

    private static final String SAVE = "SAVEPOINT quarkus_lock; ";
    private static final String SAVED = "; RELEASE SAVEPOINT quarkus_lock";
    private static final String UNDO = "ROLLBACK TO SAVEPOINT quarkus_lock; RELEASE SAVEPOINT quarkus_lock";
    private static final String BEGIN_ANEW = "ROLLBACK";
    private static final String SERVER = "CAST(EXTRACT(EPOCH FROM pg_catalog.pg_postmaster_start_time()) AS text)";
    /** The table with its schema, or null. Work after a savepoint has a transaction number of its own. */
    private static final String SAVED_BEFORE = "CASE WHEN CAST(CAST(l.xmin AS text) AS bigint) "
            + "<> pg_catalog.txid_current() % 4294967296 THEN (pg_catalog.pg_identify_object("
            + "CAST('pg_catalog.pg_class' AS pg_catalog.regclass), l.tableoid, 0)).identity END";
    /** The numbers of writing transactions. */
    private static final String WRITING = "SELECT k.transactionid FROM pg_catalog.pg_locks k "
            + "WHERE k.locktype = 'transactionid' AND k.granted AND k.mode = 'ExclusiveLock'";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    /** How much longer a statement may last than one of its waits, whose timeout gives the better reason. */
    private static final int GRACE_MILLIS = 50;
    private static final String LIMIT = "SELECT NULL, " + keepAndSet("lock_timeout") + ", " + keepAndSet("statement_timeout")
            + "; ";

    private final String table;
    private final @Nullable PostgresDriver driver;
    private final String ask;
    private final String wait;
    private final String savedWait;
    private final String held;

    /**
     * The row is locked before it is written: an update reads the clock first and then waits, and writes that reading if the
     * previous holder rolls back. After a wait, a separate statement writes the row and sees its last version: a statement that
     * has waited would look for that once more. The limits are set beforehand, in the same round trip, and restored by the
     * statement that writes, even if there is no row.
     *
     * @param driver {@code null} if the application does not have it
     */
    PostgresRowLock(String table, String now, @Nullable PostgresDriver driver) {
        this.table = table;
        this.driver = driver;
        String write = "u AS (UPDATE " + table + " l SET fence = GREATEST(l.fence + 1, " + now + "), since = " + now;
        String written = " RETURNING l.format, l.fence, l.since, pg_catalog.pg_backend_pid() AS pid, " + SERVER
                + " AS server, " + SAVED_BEFORE + " AS saved) SELECT u.format, u.fence, u.since, u.pid, u.server, u.saved, ";
        ask = "WITH r AS (SELECT id FROM " + table + " WHERE id = ? FOR UPDATE SKIP LOCKED), " + write
                + " FROM r WHERE l.id = r.id" + written + "e.there FROM (SELECT EXISTS (SELECT 1 FROM " + table
                + " WHERE id = ?) AS there) e LEFT JOIN u ON true";
        wait = LIMIT + "SELECT NULL FROM " + table + " WHERE id = ? FOR UPDATE; WITH " + write + " WHERE l.id = ?" + written
                + putBack("lock_timeout") + ", " + putBack("statement_timeout") + " FROM (SELECT 1) e LEFT JOIN u ON true";
        savedWait = SAVE + wait + SAVED;
        held = "SELECT 1 FROM " + table + " l WHERE l.id = ? AND l.xmax IN (" + WRITING + ")";
    }

    /** Saves the old value first: the call that sets the new one depends on it. */
    private static String keepAndSet(String limit) {
        return "set_config('" + limit + "', ?, set_config('quarkus_lock." + limit + "', current_setting('" + limit
                + "'), true) IS NOT NULL)";
    }

    private static String putBack(String limit) {
        return "set_config('" + limit + "', current_setting('quarkus_lock." + limit + "'), true)";
    }

    /** As the driver knows it, {@code null} if it is another driver. */
    private @Nullable Transaction transaction(Connection connection) throws SQLException {
        return driver == null ? null : driver.transaction(connection);
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        boolean untouched = untouched(connection, false);
        if (waitMillis == 0 || !untouched) { // needs no savepoint
            try {
                return ask(connection, id, running);
            } catch (SQLException e) {
                if (waitMillis == 0 || why(e) != RowLockFailure.BUSY) {
                    throw e;
                }
            }
        }
        // Fixed texts, so that the driver has the database cache them
        try (PreparedStatement statement = connection.prepareStatement(untouched ? wait : savedWait)) {
            long limit = Math.min(waitMillis, Integer.MAX_VALUE - GRACE_MILLIS);
            statement.setString(1, Long.toString(limit));
            statement.setString(2, Long.toString(limit + GRACE_MILLIS));
            statement.setString(3, id);
            statement.setString(4, id);
            running.statement(statement);
            long start = System.nanoTime();
            try {
                return read(statement, statement.execute());
            } catch (SQLException e) {
                undo(connection, untouched ? BEGIN_ANEW : UNDO, e);
                if (why(e) != RowLockFailure.CANCELLED || System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(limit)) {
                    throw e;
                }
            }
        }
        return ask(connection, id, running); // a slow server may have had other reasons than a holder
    }

    @Override
    public long longestWait(long waitMillis) {
        return Math.min(waitMillis, Integer.MAX_VALUE);
    }

    private @Nullable Locked ask(Connection connection, String id, Running running) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ask)) {
            statement.setString(1, id);
            statement.setString(2, id);
            running.statement(statement);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Locked locked = locked(row);
                if (locked == null && row.getBoolean(7)) {
                    throw new SQLException("The row is locked", LOCK_NOT_AVAILABLE);
                }
                return locked;
            }
        }
    }

    /** Whether the database has not seen the connection's transaction yet: the driver begins it with its first statement. */
    @Override
    public boolean untouched(Connection connection, boolean first) throws SQLException {
        Transaction transaction = transaction(connection);
        return transaction == null ? first : transaction == Transaction.NOT_BEGUN && !connection.getAutoCommit();
    }

    /** The first error gives up the row, and the driver knows of it. It does not know of savepoints. */
    @Override
    public Known known(Connection connection, Locked row) throws SQLException {
        Transaction transaction = transaction(connection);
        if (transaction == null) {
            return Known.TO_ASK;
        }
        if (transaction != Transaction.OPEN) {
            return Known.UNDONE;
        }
        return row.table() == null ? Known.HELD : Known.TO_ASK;
    }

    private static @Nullable Locked read(Statement statement, boolean first) throws SQLException {
        Locked locked = null;
        for (boolean rows = first; rows || statement.getUpdateCount() != -1; rows = statement.getMoreResults()) {
            if (rows) {
                try (ResultSet result = statement.getResultSet()) {
                    locked = result.next() ? locked(result) : null;
                }
            }
        }
        return locked;
    }

    private static @Nullable Locked locked(ResultSet row) throws SQLException {
        return row.getString(1) == null ? null
                : new Locked(row.getInt(1), row.getLong(2), row.getLong(3), new Session(row.getString(5), row.getLong(4)),
                        row.getString(6));
    }

    private static void undo(Connection connection, String how, SQLException because) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(how);
        } catch (SQLException e) {
            because.addSuppressed(e); // the connection is broken, or the transaction was before
        }
    }

    @Override
    public RowLockFailure why(Throwable failure) {
        return RowLockErrors.POSTGRESQL.of(failure);
    }

    /** The transaction that wrote a row is recorded in it, and holds a lock on its own number until it ends. */
    @Override
    public boolean held(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(held)) {
            statement.setString(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public @Nullable Isolation readCommitted(Connection connection) {
        return null;
    }

    @Override
    public Set<String> held(Connection connection, Map<String, Long> committed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT l.id FROM " + table
                + " l WHERE l.id IN (" + RowLock.marks(committed.size()) + ") AND l.xmax IN (" + WRITING + ")")) {
            Set<String> held = new HashSet<>();
            RowLock.bind(statement, committed.keySet());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    held.add(row.getString(1));
                }
            }
            return held;
        }
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
        return "SELECT pid FROM pg_catalog.pg_stat_activity WHERE pid IN (" + "?, ".repeat(count - 1) + "?)";
    }
}
