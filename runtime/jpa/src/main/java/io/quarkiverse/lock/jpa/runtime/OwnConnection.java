package io.quarkiverse.lock.jpa.runtime;

import java.sql.Connection;
import java.sql.SQLException;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.pool.ConnectionFactory;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.notify.PromptSockets;

/**
 * Makes a connection outside the pool with all that the data source is configured to, and sockets that are good to listen on.
 */
final class OwnConnection implements UnpooledConnections {

    private final AgroalDataSource dataSource;

    OwnConnection(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Connection open() throws SQLException {
        var configured = dataSource.getConfiguration().connectionPoolConfiguration().connectionFactoryConfiguration();
        if (!configured.jdbcProperties().containsKey("socketFactory")) {
            configured = new AgroalConnectionFactoryConfigurationSupplier(configured)
                    .jdbcUrl(PromptSockets.in(configured.jdbcUrl())).get();
        }
        return new ConnectionFactory(configured).createConnection().getConnection();
    }
}
