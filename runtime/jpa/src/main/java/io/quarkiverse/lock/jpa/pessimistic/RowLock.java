package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Isolation;

/**
 * Locks a name's row, {@code PESSIMISTIC_WRITE}, in a connection's transaction, and writes it: neither snapshots nor the
 * certification of a cluster notice a row that was only read. Databases differ in how the wait is bounded, what a timeout
 * leaves of the transaction, and what their errors mean.
 */
public interface RowLock {

    /**
     * The content of a locked row, and who has locked it.
     *
     * @param fence as just written: {@code max(fence + 1, now in µs)}, with the time read after the row was locked
     * @param since also as written: two fences can be equal if the first was undone and the clock is behind them
     * @param table the row's table, named so that it works from every schema: the transaction may have switched schemas by its
     *        commit. Null if there can be no earlier savepoint: a rollback to one would give up the lock
     */
    record Locked(int format, long fence, long since, @Nullable Session session, @Nullable String table) {
    }

    /**
     * The session that has locked a row.
     *
     * @param server the server that the connection leads to: others do not know its sessions
     * @param number the server's number for the connection
     */
    record Session(String server, long number) {
    }

    /** Receives the running statement, so that another thread can end it. */
    @FunctionalInterface
    interface Running {

        Running NOBODY = statement -> {
        };

        void statement(Statement statement);
    }

    /**
     * Waits for the row. After a failure with {@link RowLockFailure#BUSY}, the transaction is as it was before, with all its
     * work.
     *
     * @param waitMillis 0 to ask once
     * @return null if there is no such row
     */
    @Nullable
    Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException;

    /**
     * How many milliseconds {@link #lock} takes when it ends with {@link RowLockFailure#BUSY}: many databases wait in whole
     * seconds, and check once a second whether these are over.
     */
    default long longestWait(long waitMillis) {
        return waitMillis == 0 ? 0 : TimeUnit.SECONDS.toMillis(seconds(waitMillis) + 1);
    }

    /** What is known about a locked row without asking the database. */
    enum Known {
        HELD,
        UNDONE,
        TO_ASK
    }

    /**
     * Whether a connection's transaction still has the row that it locked. After a deadlock, or any other error, a database may
     * undo all its work and go on.
     */
    default Known known(Connection connection, Locked row) throws SQLException {
        return Known.TO_ASK;
    }

    /** Asks the database the same: nobody else has what the transaction has written. */
    default boolean has(Connection connection, String id, Locked row) throws SQLException {
        String table = row.table() == null ? table() : row.table();
        String written = "SELECT 1 FROM " + table + " WHERE id = ? AND fence = ? AND since = ?" + inSession();
        try (PreparedStatement statement = connection.prepareStatement(written + unlessOthersHaveIt())) {
            statement.setString(1, id);
            statement.setLong(2, row.fence());
            statement.setLong(3, row.since());
            if (row.session() != null && !inSession().isEmpty()) {
                statement.setLong(4, row.session().number());
            }
            try (ResultSet there = statement.executeQuery()) {
                return there.next();
            }
        }
    }

    /**
     * Restricts the query of {@link #has} to the session with a number, its parameter: a driver that has lost its connection
     * may have sent the transaction again on another one, and have written the row over what others have done since. Empty
     * where no driver does so.
     */
    default String inSession() {
        return "";
    }

    /**
     * Makes the query of {@link #has} fail at once if others have the row, with {@link RowLockFailure#BUSY} or another failure
     * that keeps a transaction from a row. Empty where the committed state shows who has it.
     */
    default String unlessOthersHaveIt() {
        return "";
    }

    /**
     * Whether a plain read of a row returns what is committed, at this isolation level of a transaction, and does not wait for
     * whoever has locked it.
     */
    default boolean readsPastLocks(int isolation) {
        return true;
    }

    /** What a failure of {@link #lock} means. */
    RowLockFailure why(Throwable failure);

    /**
     * Whether the database has not seen the connection's transaction yet.
     *
     * @param first whether the connection has just joined it. This decides where the driver does not tell; statements sent by
     *        an interceptor of the pool then go unnoticed
     */
    default boolean untouched(Connection connection, boolean first) throws SQLException {
        return first;
    }

    /**
     * Inserts a row that {@link #lock} did not find, where that search may keep others from inserting it. Uses the same
     * transaction.
     *
     * @return false where anybody can insert it
     */
    default boolean insert(Connection connection, String id, String readable) throws SQLException {
        return false;
    }

    /**
     * Whether a transaction has the row locked. Only reads: uncommitted data differ from committed data.
     *
     * @param connection in no transaction
     */
    default boolean held(Connection connection, String id) throws SQLException {
        Long committed;
        try (var isolation = readCommitted(connection)) {
            committed = fence(connection, id);
        }
        try (var isolation = Isolation.of(connection, Connection.TRANSACTION_READ_UNCOMMITTED)) {
            Long written = fence(connection, id);
            return written != null && !written.equals(committed);
        }
    }

    /**
     * For reading the fences that {@code held} compares, until it is closed. Null if it compares none: then the session keeps
     * its level.
     *
     * @param connection in no transaction
     */
    default @Nullable Isolation readCommitted(Connection connection) throws SQLException {
        return Isolation.of(connection, Connection.TRANSACTION_READ_COMMITTED);
    }

    /**
     * Which of these rows are locked by a transaction. Only reads, as {@link #held} does.
     *
     * @param committed the fence of each by id, as read within {@link #readCommitted}
     */
    default Set<String> held(Connection connection, Map<String, Long> committed) throws SQLException {
        try (var isolation = Isolation.of(connection, Connection.TRANSACTION_READ_UNCOMMITTED);
                PreparedStatement statement = connection
                        .prepareStatement("SELECT id, fence FROM " + table() + " WHERE id IN ("
                                + marks(committed.size()) + ")")) {
            Set<String> held = new HashSet<>();
            bind(statement, committed.keySet());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (committed.get(row.getString(1)) != row.getLong(2)) {
                        held.add(row.getString(1));
                    }
                }
            }
            return held;
        }
    }

    static String marks(int count) {
        return "?, ".repeat(count - 1) + "?";
    }

    static void bind(PreparedStatement statement, Collection<String> ids) throws SQLException {
        int at = 0;
        for (String id : ids) {
            statement.setString(++at, id);
        }
    }

    private @Nullable Long fence(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT fence FROM " + table() + " WHERE id = ?")) {
            statement.setString(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    String table();

    /** The query for the server that a connection leads to; null if sessions are unknown. */
    default @Nullable String server() {
        return null;
    }

    /** The query for which of these sessions exist, returning their numbers; null if {@link #server} is. */
    default @Nullable String sessions(int count) {
        return null;
    }

    /** Whole seconds, rounded up. */
    static long seconds(long millis) {
        return Math.min(1_000_000, (millis + 999) / 1000);
    }

    /** A table that {@link #table} found, in this schema; a table that already has a schema keeps it. */
    static String inSchema(@Nullable String schema, String table, char quote) {
        if (schema == null || table.indexOf('.') >= 0) {
            return table;
        }
        String quotes = String.valueOf(quote);
        return quote + schema.replace(quotes, quotes + quotes) + quote + '.' + table;
    }

    /** The next fence to write. */
    static long nextFence(long fence, long now) {
        return Math.max(fence + 1, now);
    }

    /** Writes a locked row, for databases that need a separate statement for that. */
    static void write(Connection connection, String table, String id, long fence, long now) throws SQLException {
        try (PreparedStatement statement = connection
                .prepareStatement("UPDATE " + table + " SET fence = ?, since = ? WHERE id = ?")) {
            statement.setLong(1, fence);
            statement.setLong(2, now);
            statement.setString(3, id);
            statement.executeUpdate();
        }
    }

    /** For databases whose error for this is the same as for a deadlock, or that have none. */
    static SQLTransactionRollbackException stale(@Nullable Throwable cause) {
        return new SQLTransactionRollbackException("the lock was held by others after the transaction had begun to read",
                "40001", cause);
    }
}
