package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.LeaseTables;

/**
 * The backend's statements over plain JDBC on the caller's thread: no engine, no queue, no renewal, no timeout. For names that
 * nobody else wants.
 */
final class RawStatements implements Peer {

    private static final long LEASE_MICROS = TimeUnit.SECONDS.toMicros(30);

    private final AgroalDataSource pool;
    private final AtomicLong claims = new AtomicLong();

    RawStatements(String url) {
        pool = PostgresProcess.pool(url);
    }

    @Override
    public Mutex mutex(String name) {
        String id = LeaseTables.id("raw", name);
        insert(id, name);
        return new Claimed(pool, id);
    }

    private void insert(String id, String name) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(LeaseTables.INSERT)) {
            LeaseTables.bind(statement, LeaseTables.insertParameters(id, name, "", "bench", -1, Long.MAX_VALUE));
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    private final class Claimed implements Mutex {

        private final DataSource dataSource;
        private final String id;
        private String token = "";

        Claimed(DataSource dataSource, String id) {
            this.dataSource = dataSource;
            this.id = id;
        }

        @Override
        public void lock() {
            // As long as the backend's tokens
            token = "0000000000000000" + HexFormat.of().toHexDigits(claims.incrementAndGet());
            one(LeaseTables.GRANT, LeaseTables.grantParameters(id, token, "bench", LEASE_MICROS, Long.MAX_VALUE));
        }

        @Override
        public void unlock() {
            one(LeaseTables.RELEASE, id, token);
        }

        private void one(String sql, Object... parameters) {
            try (Connection connection = dataSource.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                LeaseTables.bind(statement, parameters);
                try (ResultSet rows = statement.executeQuery()) {
                    if (!rows.next()) {
                        throw new IllegalStateException("Not done: " + sql);
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
