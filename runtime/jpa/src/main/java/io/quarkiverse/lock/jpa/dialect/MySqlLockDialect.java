package io.quarkiverse.lock.jpa.dialect;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/**
 * MySQL and MariaDB. They assign from left to right, so the fence comes first and sees the row's old values. Their reply
 * carries the value given to LAST_INSERT_ID.
 */
public class MySqlLockDialect implements LockDialect {

    private final long longestWaitMillis;

    /**
     * @param operationTimeout a statement waits at most half of it, so that its client is still there to learn of the failure
     */
    public MySqlLockDialect(Duration operationTimeout) {
        longestWaitMillis = Math.max(50, operationTimeout.toMillis() / 2);
    }

    @Override
    public String name() {
        return "mysql";
    }

    /** In UTC: in the session's time zone, one hour occurs twice in autumn. */
    @Override
    public String now() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    /**
     * UTC_TIMESTAMP is the start of the statement. SYSDATE advances, but in the session's time zone, in which NOW stands still.
     * A change to or from summer time between the two can at worst make this refuse.
     */
    @Override
    public String nowAtRow() {
        return "(" + now() + " + ABS(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))))";
    }

    /** Whether SYSDATE stands still, as with the server's option {@code sysdate-is-now}. Fails where there is no SLEEP. */
    public boolean standsStill(LockConnection connection) throws SQLException {
        return Boolean.TRUE.equals(connection.first("SELECT SLEEP(0.01), " + nowAtRow() + " <= " + now() + fromNothing(),
                row -> row.getBoolean(2)));
    }

    /** For MySQL, which has no such bound for updates, this is a comment. */
    @Override
    public String bounded(String sql) {
        return "/*M!100102 SET STATEMENT max_statement_time=" + BigDecimal.valueOf(longestWaitMillis, 3) + " FOR */ " + sql;
    }

    @Override
    public String briefly(String sql) {
        return "/*M!100102 SET STATEMENT max_statement_time=0.35 FOR */ " + sql;
    }

    /** MySQL takes one hint, MariaDB the other, whatever Hibernate takes the server for. */
    @Override
    public String lockSql(String columns, String table) {
        return bounded("SELECT /*+ MAX_EXECUTION_TIME(" + longestWaitMillis + ") */ " + columns + " FROM " + table
                + " WHERE id = ? FOR UPDATE");
    }

    /** MySQL and MariaDB would otherwise read a small table completely, and lock what they read. */
    @Override
    public String byKey(String table) {
        return table + " FORCE INDEX (PRIMARY)";
    }

    /** Written as a multi-table statement with this table only: otherwise it takes no hint. */
    @Override
    public String deleteByKey(String table) {
        return "DELETE " + table + " FROM " + byKey(table);
    }

    /** MariaDB skips locked rows since 10.6, and MySQL since 8.0.1; for other servers the words are a comment. */
    @Override
    public String lockUnlockedSql(String columns, String table, String condition) {
        return "SELECT " + columns + " FROM " + byKey(table) + " WHERE " + condition
                + " FOR UPDATE /*M!100600 SKIP LOCKED */ /*!80001 SKIP LOCKED */";
    }

    @Override
    public String grantSql(String table, String fence, String assignments, String condition) {
        return "UPDATE " + table + " SET fence = LAST_INSERT_ID(" + fence + "), " + assignments + " WHERE " + condition;
    }

    @Override
    public @Nullable FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters)
            throws SQLException {
        try (var update = connection.jdbc().prepareStatement(sql.grant(), Statement.RETURN_GENERATED_KEYS)) {
            LockConnection.bind(update, parameters);
            if (update.executeUpdate() == 0) {
                return null;
            }
            try (var keys = update.getGeneratedKeys()) {
                if (keys.next()) {
                    return new FencedAt(keys.getLong(1), 0);
                }
            }
        }
        return sql.readBack(connection, id, token);
    }

    @Override
    public String limited(String sql, int rows) {
        return sql + " LIMIT " + rows;
    }

    @Override
    public String fromNothing() {
        return " FROM DUAL";
    }

    /** For the next transaction only, so the pooled connection keeps its settings. */
    @Override
    public void begin(Connection connection, long timeoutMillis) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement settings = connection.createStatement()) {
            settings.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
    }

    @Override
    public boolean readsCommitted() {
        return true;
    }
}
