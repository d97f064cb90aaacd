package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.hibernate.SessionFactory;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.MySQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.quarkiverse.lock.jpa.LeaseTables;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A MariaDB with the tables of locks. It has no notifications, so a waiter has to poll. */
final class MariaDbProcess implements Server {

    static final SessionFactory SESSIONS = LeaseTables.sessions("org.hibernate.dialect.MariaDBDialect");

    final MariaDbServer mariaDb = MariaDbServer.start();

    MariaDbProcess() {
        try (AgroalDataSource pool = pool(1)) {
            LeaseTables.create(pool, SESSIONS);
        }
    }

    @Override
    public String url() {
        return mariaDb.url();
    }

    AgroalDataSource pool(int size) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                    .maxSize(size).acquisitionTimeout(Duration.ofSeconds(5))
                    .exceptionSorter(new MySQLExceptionSorter())
                    .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url())
                            .principal(new NamePrincipal(mariaDb.user()))
                            .credential(new SimplePassword(mariaDb.password())))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of statements from clients so far, including this query. */
    long statements() {
        try (Connection connection = mariaDb.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
            row.next();
            return row.getLong(2);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        mariaDb.close();
    }
}
