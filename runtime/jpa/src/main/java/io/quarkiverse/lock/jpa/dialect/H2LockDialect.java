package io.quarkiverse.lock.jpa.dialect;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/**
 * H2. Its clock stands still within a transaction. After a wait for a row it is behind, so leases may end early, but never
 * late.
 */
public class H2LockDialect implements LockDialect {

    public static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public String now() {
        return NOW;
    }

    @Override
    public String grantSql(String table, String fence, String assignments, String condition) {
        return "SELECT fence, " + now() + " FROM FINAL TABLE (UPDATE " + table + " SET fence = " + fence + ", " + assignments
                + " WHERE " + condition + ")";
    }

    @Override
    public @Nullable FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters)
            throws SQLException {
        return connection.first(sql.grant(), row -> new FencedAt(row.getLong(1), row.getLong(2)), parameters);
    }
}
