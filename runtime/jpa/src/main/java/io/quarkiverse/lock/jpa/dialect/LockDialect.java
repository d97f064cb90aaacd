package io.quarkiverse.lock.jpa.dialect;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.TransactionStart;

/** What the lock statements need to know about a database. All else is the same everywhere. */
public interface LockDialect extends TransactionStart {

    /** The name of the directory with the tables' DDL. */
    String name();

    /** The database's clock as an expression: a BIGINT of microseconds since 1970, not before the start of the statement. */
    String now();

    /**
     * Runs the conditional {@code update} of one lock row, whose first assignment is that of {@code fence}.
     *
     * @param sql for a dialect that has to read the new fence in a separate statement
     * @return the row's new fence and the time, or null when the condition did not hold
     */
    @Nullable
    FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters) throws SQLException;

    /**
     * Like {@link #now}, but as of the moment when the statement gets a row that it had to wait for. It decides whether the
     * statement is still valid: one that was sent long ago and then waited must do nothing.
     */
    default String nowAtRow() {
        return now();
    }

    /** {@code sql} with a bound on how long the server waits for others: the server does not notice a client that gives up. */
    default String bounded(String sql) {
        return sql;
    }

    /** The same for statements with little patience, in a transaction that has such a bound where the database supports one. */
    default String briefly(String sql) {
        return bounded(sql);
    }

    /** The query for these columns of the row with an id; it locks the row until the transaction ends. */
    default String lockSql(String columns, String table) {
        return "SELECT " + columns + " FROM " + table + " WHERE id = ? FOR UPDATE";
    }

    /**
     * The query for some columns of the rows that nobody has locked; it locks them until the transaction ends. A database that
     * cannot skip locked rows waits for them.
     */
    default String lockUnlockedSql(String columns, String table, String condition) {
        return "SELECT " + columns + " FROM " + table + " WHERE " + condition + " FOR UPDATE SKIP LOCKED";
    }

    /** {@code table} in an update of a few rows by key: an update that read all rows could wait for those of others. */
    default String byKey(String table) {
        return table;
    }

    /** Begins a statement that deletes a few rows of {@code table} by key, for the same reason. */
    default String deleteByKey(String table) {
        return "DELETE FROM " + table;
    }

    /** The text of the update that {@link #grant} runs, made from the assignments and condition that all databases share. */
    String grantSql(String table, String fence, String assignments, String condition);

    /**
     * Runs the insert of a name's first grant.
     *
     * @return null when the row exists already
     * @throws SQLException {@link SqlFailure#DUPLICATE} may mean the same
     */
    @Nullable
    default FencedAt insert(LockConnection connection, GrantSql sql, String id, String token, Object[] parameters)
            throws SQLException {
        return connection.update(sql.insert(), parameters) == 0 ? null : sql.readBack(connection, id, token);
    }

    /** Inserts nothing when the row exists; or fails with an SQL state of class 23. */
    default String insertSql(String insert) {
        return insert;
    }

    /** Turns the {@code update} that gives a lock back into this database's form. */
    default String releaseSql(String update) {
        return update;
    }

    /** Gives a lock back. Whether somebody waits for it is known only if {@link #notifies}, where it matters. */
    default Released release(LockConnection connection, GrantSql sql, String id, String token) throws SQLException {
        return connection.update(sql.release(), id, token) == 0 ? Released.ABSENT : Released.FREE;
    }

    /** {@link #release}, and notifies the first waiter, if any, in the same round trip; null where that is not supported. */
    default @Nullable Released releaseAndWake(LockConnection connection, GrantSql sql, String id, String token)
            throws SQLException {
        return null;
    }

    /** Whether the driver ignores the interruption of its thread. */
    default boolean bearsInterruption() {
        return false;
    }

    /** Whether aborting the driver's own connection immediately ends what runs on it. */
    default boolean abortsAtOnce() {
        return false;
    }

    /** Whether one statement can change several tables. */
    default boolean changesSeveralTablesAtOnce() {
        return false;
    }

    /**
     * Ends the condition of statements that make or prolong a grant; it is always true. If the database is set not to wait
     * until a commit cannot be lost, but a statement can ask for that, it makes this commit wait. Otherwise a crash would
     * forget the grant, and another claim would get the name.
     */
    default String durably() {
        return "";
    }

    /** The first rows of an ordered query, so that the database need not compute all of them. */
    default String limited(String sql, int rows) {
        return sql + " FETCH FIRST " + rows + " ROWS ONLY";
    }

    /** What follows the SELECT of an INSERT that reads no table. */
    default String fromNothing() {
        return "";
    }

    @Override
    default void begin(Connection connection, long timeoutMillis) throws SQLException {
        connection.setAutoCommit(false);
    }

    @Override
    default boolean readsCommitted() {
        return false;
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
     * @param began when this server process began; differs after each restart, and on every other server
     * @param transaction the number of the current transaction, as {@link #writer} will return it
     * @param writerOf the number of the transaction that wrote a row, with {@code %s} for the table's alias
     */
    record Life(String began, String transaction, String writerOf) {

        public String writer(String alias) {
            return writerOf.formatted(alias);
        }
    }

    /** A fence that was given out, and the database's time at that moment. */
    record FencedAt(long fence, long now) {
    }

    /** What a release found. */
    enum Released {
        /** The grant had ended before. */
        ABSENT,
        /** The name is free now, and nobody is known to wait. */
        FREE,
        /** The name is free now, and somebody waits. */
        AWAITED
    }
}
