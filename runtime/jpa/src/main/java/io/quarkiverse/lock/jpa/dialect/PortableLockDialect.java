package io.quarkiverse.lock.jpa.dialect;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/** Databases whose own way to return updated values is not used: the new fence is read back under the claim's token. */
public final class PortableLockDialect implements LockDialect {

    /** Experimental. Whole days, seconds of the day, microseconds: Oracle's difference of two DATEs with times is inexact. */
    static final String ORACLE_NOW = "((TRUNC(SYS_EXTRACT_UTC(SYSTIMESTAMP)) - DATE '1970-01-01') * 86400000000 "
            + "+ TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), 'SSSSS')) * 1000000 "
            + "+ TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), 'FF6')))";
    /** Experimental. */
    static final String SQL_SERVER_NOW = "DATEDIFF_BIG(MICROSECOND, '1970-01-01', SYSUTCDATETIME())";
    /** Experimental. */
    static final String DB2_NOW = "((CAST(DAYS(CURRENT TIMESTAMP - CURRENT TIMEZONE) AS BIGINT) - 719163) * 86400000000 "
            + "+ CAST(MIDNIGHT_SECONDS(CURRENT TIMESTAMP - CURRENT TIMEZONE) AS BIGINT) * 1000000 "
            + "+ MICROSECOND(CURRENT TIMESTAMP - CURRENT TIMEZONE))";

    private final String name;
    private final String now;
    private final String fromNothing;
    private final String lockHint;
    private final String lockClause;

    /**
     * @param lockHint follows the table in a query that locks
     * @param lockClause ends such a query
     */
    public PortableLockDialect(String name, String now, String fromNothing, String lockHint, String lockClause) {
        this.name = name;
        this.now = now;
        this.fromNothing = fromNothing;
        this.lockHint = lockHint;
        this.lockClause = lockClause;
    }

    /** For databases that lock as the SQL standard says. */
    public PortableLockDialect(String name, String now, String fromNothing) {
        this(name, now, fromNothing, "", " FOR UPDATE");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String now() {
        return now;
    }

    @Override
    public String lockSql(String columns, String table) {
        return "SELECT " + columns + " FROM " + table + lockHint + " WHERE id = ?" + lockClause;
    }

    /** SQL Server and Db2 have their own syntax for that. */
    @Override
    public String lockUnlockedSql(String columns, String table, String condition) {
        String query = "SELECT " + columns + " FROM " + table;
        if (now.equals(SQL_SERVER_NOW)) {
            return query + " WITH (UPDLOCK, ROWLOCK, READPAST) WHERE " + condition;
        }
        if (now.equals(DB2_NOW)) {
            return query + " WHERE " + condition + lockClause + " SKIP LOCKED DATA";
        }
        return LockDialect.super.lockUnlockedSql(columns, table, condition);
    }

    @Override
    public String grantSql(String table, String fence, String assignments, String condition) {
        return "UPDATE " + table + " SET fence = " + fence + ", " + assignments + " WHERE " + condition;
    }

    @Override
    public @Nullable FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters)
            throws SQLException {
        return connection.update(sql.grant(), parameters) == 0 ? null : sql.readBack(connection, id, token);
    }

    /** SQL Server requires the first row to be given, which skips nothing. */
    @Override
    public String limited(String sql, int rows) {
        return now.equals(SQL_SERVER_NOW) ? sql + " OFFSET 0 ROWS FETCH NEXT " + rows + " ROWS ONLY"
                : LockDialect.super.limited(sql, rows);
    }

    @Override
    public String fromNothing() {
        return fromNothing;
    }
}
