package io.quarkiverse.lock.jpa.dialect;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;

/** What the lock statements need to know of a database. Everything else in them is the same everywhere. */
public interface LockDialect {

    /** Names the directory with the tables' DDL. */
    String name();

    /**
     * The database's clock as an expression: a BIGINT of microseconds since 1970, not behind the moment at which the statement
     * began.
     */
    String now();

    /**
     * Runs the conditional {@code update} of one lock row, whose first assignment is that of {@code fence}.
     *
     * @param sql for a dialect that has to read the new fence in a statement of its own
     * @return the row's new fence and the time, or null when the condition did not hold
     */
    @Nullable
    FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters) throws SQLException;

    /**
     * The same when the statement gets to a row that it had to wait for. By this it is decided whether the statement still
     * counts: one that was sent long ago and then waited must do nothing.
     */
    default String nowAtRow() {
        return now();
    }

    /** {@code sql} with a bound for how long the server waits for others: a client that gives up is not noticed there. */
    default String bounded(String sql) {
        return sql;
    }

    /** The same for what is given up soon, in a transaction that has such a bound where the database knows one. */
    default String briefly(String sql) {
        return bounded(sql);
    }

    /** The query for these columns of the row with an id, which locks the row until the transaction ends. */
    default String lockSql(String columns, String table) {
        return "SELECT " + columns + " FROM " + table + " WHERE id = ? FOR UPDATE";
    }

    /**
     * The query for some columns of the rows that nobody has locked, which locks them until the transaction ends. On a database
     * that cannot pass over the others it waits for them.
     */
    default String lockUnlockedSql(String columns, String table, String condition) {
        return "SELECT " + columns + " FROM " + table + " WHERE " + condition + " FOR UPDATE SKIP LOCKED";
    }

    /** {@code table} in an update of few of its rows by their keys: one that read all rows could wait for those of others. */
    default String byKey(String table) {
        return table;
    }

    /** Begins a statement that deletes few rows of {@code table} by their keys: the same. */
    default String deleteByKey(String table) {
        return "DELETE FROM " + table;
    }

    /** The text of that update, made from the assignments and condition that all databases share. */
    String grantSql(String table, String fence, String assignments, String condition);

    /**
     * Runs the insert of a name's first grant.
     *
     * @return null when the row is there already
     */
    @Nullable
    default FencedAt insert(LockConnection connection, GrantSql sql, String id, String token, Object[] parameters)
            throws SQLException {
        try {
            return connection.update(sql.insert(), parameters) == 0 ? null
                    : sql.readBack(connection, id, token);
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.DUPLICATE) {
                return null;
            }
            throw e;
        }
    }

    /** Inserts nothing when the row is there; or fails then with an SQL state of class 23, which is understood as that. */
    default String insertSql(String insert) {
        return insert;
    }

    /** What becomes of the {@code update} that gives a lock back. */
    default String releaseSql(String update) {
        return update;
    }

    /** Gives a lock back. Whether somebody waits for it is only known where that matters: if {@link #notifies}. */
    default Released release(LockConnection connection, GrantSql sql, String id, String token) throws SQLException {
        return connection.update(sql.release(), id, token) == 0 ? Released.ABSENT : Released.FREE;
    }

    /** {@link #release}, and in the same round trip the first that waits is told if there is one; null where that cannot be. */
    default @Nullable Released releaseAndWake(LockConnection connection, GrantSql sql, String id, String token)
            throws SQLException {
        return null;
    }

    /** Whether the driver takes no notice when a thread in it is interrupted. */
    default boolean bearsInterruption() {
        return false;
    }

    /** Whether aborting the driver's own connection ends at once what runs on it. */
    default boolean abortsAtOnce() {
        return false;
    }

    /** Whether one statement can change several tables. */
    default boolean changesSeveralTablesAtOnce() {
        return false;
    }

    /**
     * Ends the condition of what makes or prolongs a grant: true, and has the commit wait until it cannot be lost any more,
     * where the database is set not to and can be told so. A crash would forget the grant, and another claim get the name.
     */
    default String durably() {
        return "";
    }

    /** The first rows of an ordered query, so that the database need not make all of them. */
    default String limited(String sql, int rows) {
        return sql + " FETCH FIRST " + rows + " ROWS ONLY";
    }

    /** What follows an INSERT's SELECT without a table. */
    default String fromNothing() {
        return "";
    }

    /** Begins a short transaction that reads what others have committed, whatever the data source is set to. */
    default void begin(Connection connection, long timeoutMillis) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
    }

    /** Whether waiting JVMs can be woken through the database. */
    default boolean notifies() {
        return false;
    }

    /** How statements know in which life of the server they run; null where they cannot. */
    default @Nullable Life life() {
        return null;
    }

    /**
     * Expressions, each a BIGINT.
     *
     * @param began when this process of the server began: another one after each restart, on each other server
     * @param transaction the number of the one that runs, as {@link #writer} will have it
     * @param writerOf the number of the transaction that has written a row, with {@code %s} for the table's alias
     */
    record Life(String began, String transaction, String writerOf) {

        public String writer(String alias) {
            return writerOf.formatted(alias);
        }
    }

    /** A fence that was given out, and the database's time at which it was. */
    record FencedAt(long fence, long now) {
    }

    /** What a release found. */
    enum Released {
        /** The grant had ended before. */
        ABSENT,
        /** It is free now, and nobody is known to wait. */
        FREE,
        /** It is free now, and somebody waits. */
        AWAITED
    }
}
