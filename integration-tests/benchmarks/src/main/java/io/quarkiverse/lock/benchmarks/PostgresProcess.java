package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.jpa.LeaseTables;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A PostgreSQL with the tables of all sides, as their documentation defines them. */
final class PostgresProcess implements Server {

    private static final String SCHEME = "jdbc:postgresql://";
    /** Quarkus' default for a data source. */
    private static final int CONNECTIONS = 50;
    private static final String USER = "postgres";

    private static final String[] TABLES = {
            // schema-postgresql.sql of Spring Integration
            "CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36), "
                    + "CREATED_DATE TIMESTAMP NOT NULL, CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))",
            // ShedLock's documentation
            "CREATE TABLE shedlock(name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL, "
                    + "locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))",
            "CREATE TABLE plain_row(name VARCHAR(64) NOT NULL PRIMARY KEY, holds BIGINT NOT NULL DEFAULT 0) "
                    + "WITH (fillfactor = 30)"
    };

    private final PostgresServer postgres = PostgresServer.start(Map.of());

    PostgresProcess() {
        try (AgroalDataSource pool = pool(url(), 1);
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute(table);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        try (AgroalDataSource pool = pool(url(), 1)) {
            LeaseTables.create(pool);
        }
    }

    @Override
    public String url() {
        return postgres.url();
    }

    static boolean is(String url) {
        return url.startsWith(SCHEME);
    }

    /** One for each side, with the same settings: Quarkus' defaults for a data source. */
    static AgroalDataSource pool(String url) {
        return pool(url, CONNECTIONS);
    }

    static AgroalDataSource pool(String url, int size) {
        return pool(url, size, TransactionIntegration.none());
    }

    static AgroalDataSource pool(String url, TransactionIntegration transactions) {
        return pool(url, CONNECTIONS, transactions);
    }

    private static AgroalDataSource pool(String url, int size, TransactionIntegration transactions) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                    .maxSize(size).acquisitionTimeout(Duration.ofSeconds(5))
                    .transactionIntegration(transactions)
                    .exceptionSorter(new PostgreSQLExceptionSorter())
                    .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url)
                            .principal(new NamePrincipal(USER)).credential(new SimplePassword(USER)))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A connection outside the pool. */
    static Connection connect(String url) throws SQLException {
        return java.sql.DriverManager.getConnection(url, USER, USER);
    }

    static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        postgres.close();
    }
}
