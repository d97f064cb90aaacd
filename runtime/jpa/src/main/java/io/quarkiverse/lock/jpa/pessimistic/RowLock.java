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

/**
 * Locks a name's row, {@code PESSIMISTIC_WRITE}, in the transaction that a connection is in, and writes it: a row that was only
 * read is seen neither by snapshots nor by the certification of a cluster. What differs between databases is how the wait is
 * bounded, what an end of the wait leaves of the transaction, and what their errors mean.
 */
public interface RowLock {

    /**
     * What a locked row says, and who has locked it.
     *
     * @param fence as written just now: {@code max(fence + 1, now in µs)}, with the time read after the row was locked
     * @param since as written too: two fences can be the same if the first was undone and the clock is behind them
     * @param table where the row is, as it is called from every schema: the transaction may be in another one by its commit;
     *        null if no savepoint can be there from before, back to which the lock is given up
     */
    record Locked(int format, long fence, long since, @Nullable Session session, @Nullable String table) {
    }

    /**
     * Where a row is locked.
     *
     * @param server the one that the connection leads to: others know nothing of its sessions
     * @param number its number for the connection
     */
    record Session(String server, long number) {
    }

    /** Told what runs now, so that another thread can end it. */
    @FunctionalInterface
    interface Running {

        Running NOBODY = statement -> {
        };

        void statement(Statement statement);
    }

    /**
     * Waits for the row. When that fails with {@link RowLockFailure#BUSY}, the transaction is as it was before, with all its
     * work.
     *
     * @param waitMillis 0 to ask once
     * @return null if there is no such row
     */
    @Nullable
    Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException;

    /**
     * How many milliseconds {@link #lock} takes when it ends with {@link RowLockFailure#BUSY}: many databases wait for whole
     * seconds, and look once a second whether they are over.
     */
    default long longestWait(long waitMillis) {
        return waitMillis == 0 ? 0 : TimeUnit.SECONDS.toMillis(seconds(waitMillis) + 1);
    }

    /** What is known of a row that was locked, without a question to the database. */
    enum Known {
        HELD,
        UNDONE,
        TO_ASK
    }

    /**
     * Whether the transaction of a connection still has the row that it has locked. After a deadlock, or any other error, a
     * database may undo all that was done in it and go on.
     */
    default Known known(Connection connection, Locked row) throws SQLException {
        return Known.TO_ASK;
    }

    /** Asks the same: what the transaction has written nobody else has. */
    default boolean has(Connection connection, String id, Locked row) throws SQLException {
        String table = row.table() == null ? table() : row.table();
        String written = "SELECT 1 FROM " + table + " WHERE id = ? AND fence = ? AND since = ?";
        try (PreparedStatement statement = connection.prepareStatement(written + unlessOthersHaveIt())) {
            statement.setString(1, id);
            statement.setLong(2, row.fence());
            statement.setLong(3, row.since());
            try (ResultSet there = statement.executeQuery()) {
                return there.next();
            }
        }
    }

    /**
     * What makes {@link #has} fail at once if others have the row, with {@link RowLockFailure#BUSY} or what else keeps a
     * transaction from a row; empty where what is committed tells.
     */
    default String unlessOthersHaveIt() {
        return "";
    }

    /** What a failure of {@link #lock} means. */
    RowLockFailure why(Throwable failure);

    /**
     * Whether the database has heard nothing of the connection's transaction yet.
     *
     * @param first whether the connection has become its part just now, which counts where the driver does not tell: what an
     *        interceptor of the pool has sent then is not seen
     */
    default boolean untouched(Connection connection, boolean first) throws SQLException {
        return first;
    }

    /**
     * Inserts a row that {@link #lock} has not found, where that search may keep others from inserting it: in the same
     * transaction.
     *
     * @return false where anybody can insert it
     */
    default boolean insert(Connection connection, String id, String readable) throws SQLException {
        return false;
    }

    /**
     * Whether a transaction has the row locked. Only reads: with what is not committed yet it differs from what is.
     *
     * @param connection in no transaction
     */
    default boolean held(Connection connection, String id) throws SQLException {
        Long committed = fence(connection, id);
        int isolation = connection.getTransactionIsolation();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
        try {
            Long written = fence(connection, id);
            return written != null && !written.equals(committed);
        } finally {
            connection.setTransactionIsolation(isolation);
        }
    }

    /**
     * Which of these rows a transaction has locked. Only reads, as {@link #held} does.
     *
     * @param committed the fence of each, by id, as others see it
     */
    default Set<String> held(Connection connection, Map<String, Long> committed) throws SQLException {
        int isolation = connection.getTransactionIsolation();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
        try (PreparedStatement statement = connection
                .prepareStatement("SELECT id, fence FROM " + table() + " WHERE id IN (" + marks(committed.size()) + ")")) {
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
        } finally {
            connection.setTransactionIsolation(isolation);
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

    /** The query for the server that a connection leads to; null if its sessions are not told. */
    default @Nullable String server() {
        return null;
    }

    /** The query for which of these sessions are there, with their numbers as its result; null if {@link #server} is. */
    default @Nullable String sessions(int count) {
        return null;
    }

    /** Whole seconds, never less than what was asked for. */
    static long seconds(long millis) {
        return Math.min(1_000_000, (millis + 999) / 1000);
    }

    /** A table that {@link #table} found in this schema; those that are named with one already keep it. */
    static String inSchema(@Nullable String schema, String table, char quote) {
        if (schema == null || table.indexOf('.') >= 0) {
            return table;
        }
        String quotes = String.valueOf(quote);
        return quote + schema.replace(quotes, quotes + quotes) + quote + '.' + table;
    }

    /** What to write next. */
    static long nextFence(long fence, long now) {
        return Math.max(fence + 1, now);
    }

    /** Writes a row that is locked, for databases that need a statement of its own for that. */
    static void write(Connection connection, String table, String id, long fence, long now) throws SQLException {
        try (PreparedStatement statement = connection
                .prepareStatement("UPDATE " + table + " SET fence = ?, since = ? WHERE id = ?")) {
            statement.setLong(1, fence);
            statement.setLong(2, now);
            statement.setString(3, id);
            statement.executeUpdate();
        }
    }

    /** What databases say whose own error for it is the same as for a deadlock, or that have none. */
    static SQLTransactionRollbackException stale(@Nullable Throwable cause) {
        return new SQLTransactionRollbackException("the lock was held by others after the transaction had begun to read",
                "40001", cause);
    }
}
