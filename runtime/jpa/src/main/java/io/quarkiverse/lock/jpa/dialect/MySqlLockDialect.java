package io.quarkiverse.lock.jpa.dialect;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/**
 * MySQL and MariaDB. They assign from left to right, so the fence comes first and sees the row as it was; and their reply
 * carries what was given to LAST_INSERT_ID.
 */
public class MySqlLockDialect implements LockDialect {

    private final long longestWaitMillis;

    /** @param operationTimeout a statement waits at most for half of it, so that its client is there to learn of that */
    public MySqlLockDialect(Duration operationTimeout) {
        longestWaitMillis = Math.max(50, operationTimeout.toMillis() / 2);
    }

    @Override
    public String name() {
        return "mysql";
    }

    /** In UTC: in the session's time zone an hour comes twice in autumn. */
    @Override
    public String now() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    /**
     * UTC_TIMESTAMP is when the statement began. SYSDATE goes on, but in the session's time zone, as NOW stands still in: a
     * change to or from summer time between the two can at worst make this refuse.
     */
    @Override
    public String nowAtRow() {
        return "(" + now() + " + ABS(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))))";
    }

    /** To MySQL, which has no such bound for updates, it is a comment. */
    @Override
    public String bounded(String sql) {
        return "/*M!100102 SET STATEMENT max_statement_time=" + BigDecimal.valueOf(longestWaitMillis, 3) + " FOR */ " + sql;
    }

    @Override
    public String briefly(String sql) {
        return "/*M!100102 SET STATEMENT max_statement_time=0.35 FOR */ " + sql;
    }

    /** MySQL takes the hint; whatever Hibernate takes the server for, MariaDB takes the other one. */
    @Override
    public String lockSql(String columns, String table) {
        return bounded("SELECT /*+ MAX_EXECUTION_TIME(" + longestWaitMillis + ") */ " + columns + " FROM " + table
                + " WHERE id = ? FOR UPDATE");
    }

    /** Of a table that is small they would read all of it, and lock what they read. */
    @Override
    public String byKey(String table) {
        return table + " FORCE INDEX (PRIMARY)";
    }

    /** Among several tables, of which this is one: else it takes no hint. */
    @Override
    public String deleteByKey(String table) {
        return "DELETE " + table + " FROM " + byKey(table);
    }

    /** MariaDB passes over rows since 10.6 and MySQL since 8.0.1; to any other the words are a comment. */
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

    /** For the next transaction only, so the pooled connection is as it was afterwards. */
    @Override
    public void begin(Connection connection, long timeoutMillis) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement settings = connection.createStatement()) {
            settings.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
    }
}
