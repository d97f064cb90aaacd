package io.quarkiverse.lock.jpa.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/** PostgreSQL: UPDATE ... RETURNING, a clock that is read together with the row, LISTEN and NOTIFY. */
public class PostgresLockDialect implements LockDialect {

    private static final String CAUTIOUS = "pg_catalog.current_setting('synchronous_commit') <> 'off'";
    private static final String BE_CAUTIOUS = "pg_catalog.set_config('synchronous_commit', 'on', true)";

    @Override
    public String name() {
        return "postgresql";
    }

    /** Qualified: a function of the same name elsewhere in the search path must not provide the time. */
    @Override
    public String now() {
        return "CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) * 1000000 AS BIGINT)";
    }

    @Override
    public String durably() {
        return " AND (" + CAUTIOUS + " OR " + BE_CAUTIOUS + " IS NOT NULL)";
    }

    @Override
    public String grantSql(String table, String fence, String assignments, String condition) {
        return "UPDATE " + table + " SET fence = " + fence + ", " + assignments + " WHERE " + condition
                + " RETURNING fence, " + now();
    }

    @Override
    public @Nullable FencedAt grant(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters)
            throws SQLException {
        return connection.first(sql.grant(), row -> new FencedAt(row.getLong(1), row.getLong(2)), parameters);
    }

    @Override
    public String insertSql(String insert) {
        return insert + " ON CONFLICT (id) DO NOTHING RETURNING fence, " + now();
    }

    @Override
    public @Nullable FencedAt insert(LockConnection connection, GrantSql sql, String id, String token,
            Object[] parameters) throws SQLException {
        return connection.first(sql.insert(), row -> new FencedAt(row.getLong(1), row.getLong(2)), parameters);
    }

    @Override
    public String releaseSql(String update) {
        return update + " RETURNING queue_until > " + now();
    }

    @Override
    public Released release(LockConnection connection, GrantSql sql, String id, String token) throws SQLException {
        Boolean awaited = connection.first(sql.release(), row -> row.getBoolean(1), id, token);
        return awaited == null ? Released.ABSENT : awaited ? Released.AWAITED : Released.FREE;
    }

    @Override
    public @Nullable Released releaseAndWake(LockConnection connection, GrantSql sql, String id, String token)
            throws SQLException {
        Connection jdbc = connection.jdbc();
        try (PreparedStatement both = jdbc.prepareStatement(sql.releaseAndWake())) {
            LockConnection.bind(both, id, token, NotifySql.CHANNEL, id);
            both.execute();
            both.getMoreResults(); // BEGIN returns no rows
            try (ResultSet row = both.getResultSet()) {
                return row.next() ? Released.AWAITED : Released.ABSENT;
            }
        } catch (SQLException e) {
            rollback(jdbc, e);
            throw e;
        }
    }

    /** The driver does not know of a transaction that a statement began. */
    private static void rollback(Connection jdbc, SQLException because) {
        try (Statement statement = jdbc.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            because.addSuppressed(e); // the connection is broken
        }
    }

    @Override
    public boolean bearsInterruption() {
        return true;
    }

    @Override
    public boolean abortsAtOnce() {
        return true;
    }

    @Override
    public boolean changesSeveralTablesAtOnce() {
        return true;
    }

    /**
     * One round trip, and the pooled connection is unchanged when the transaction is over. A client that vanishes midway must
     * not keep the row locked for as long as TCP takes to notice.
     */
    @Override
    public void begin(Connection connection, long timeoutMillis) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement settings = connection.createStatement()) {
            settings.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = " + timeoutMillis
                    + "; SET LOCAL idle_in_transaction_session_timeout = " + timeoutMillis
                    + "; SELECT " + BE_CAUTIOUS + " WHERE NOT " + CAUTIOUS);
        }
    }

    @Override
    public boolean readsCommitted() {
        return true;
    }

    /**
     * A promoted server was started as a replica: the rows it has at that time are from an earlier life. Includes the
     * database's number: CREATE DATABASE copies the rows of its template, including who wrote them.
     */
    @Override
    public Life life() {
        return new Life("(CAST(EXTRACT(EPOCH FROM pg_catalog.pg_postmaster_start_time()) * 1000000 AS BIGINT)"
                + " + (SELECT CAST(d.oid AS BIGINT) FROM pg_catalog.pg_database d"
                + " WHERE d.datname = pg_catalog.current_database()))",
                "(pg_catalog.txid_current() & 4294967295)", "CAST(CAST(%s.xmin AS TEXT) AS BIGINT)");
    }

    @Override
    public boolean notifies() {
        return true;
    }
}
