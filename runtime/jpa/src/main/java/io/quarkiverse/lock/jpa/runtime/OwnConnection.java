package io.quarkiverse.lock.jpa.runtime;

import java.sql.Connection;
import java.sql.SQLException;

import io.agroal.api.AgroalDataSource;
import io.agroal.pool.ConnectionFactory;
import io.quarkiverse.lock.jpa.LockDatabase;

/** Makes a connection outside the pool with all that the data source is configured to. */
final class OwnConnection implements LockDatabase.Listening {

    private final AgroalDataSource dataSource;

    OwnConnection(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Connection open() throws SQLException {
        return new ConnectionFactory(dataSource.getConfiguration().connectionPoolConfiguration()
                .connectionFactoryConfiguration()).createConnection().getConnection();
    }
}
