package io.quarkiverse.lock.jpa.runtime;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.XAConnection;

import org.jboss.logging.Logger;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalPoolInterceptor;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.pool.ConnectionFactory;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.notify.PromptSockets;

/**
 * Opens a connection outside the pool, with the data source's full configuration and sockets suited to listening. The pool's
 * interceptors see its creation and first use, but not its end.
 */
final class OwnConnection implements UnpooledConnections {

    private static final Logger LOG = Logger.getLogger(OwnConnection.class);

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
        XAConnection made = new ConnectionFactory(configured).createConnection();
        Connection connection = made.getXAResource() == null ? made.getConnection() : handle(made);
        try {
            prepared(connection);
            return connection;
        } catch (RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    /** In the pool's order. An interceptor may choose the schema or the role, without which the tables are not found. */
    private void prepared(Connection connection) {
        List<AgroalPoolInterceptor> interceptors = interceptors();
        interceptors.forEach(each -> each.onConnectionCreate(connection));
        interceptors.forEach(each -> each.onConnectionAcquire(connection));
    }

    private List<AgroalPoolInterceptor> interceptors() {
        try {
            return dataSource.getPoolInterceptors();
        } catch (NullPointerException e) { // Agroal's answer if it has none
            return List.of();
        }
    }

    /**
     * The driver returns a handle of an XA connection. Closing the handle does not close the connection, which could be lent
     * again.
     */
    private static Connection handle(XAConnection whole) throws SQLException {
        try {
            Connection handle = whole.getConnection();
            whole.addConnectionEventListener(new EndsWithItsHandle(whole)); // not earlier: a new handle ends the previous one
            return handle;
        } catch (SQLException | RuntimeException e) {
            try {
                whole.close();
            } catch (SQLException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    private static final class EndsWithItsHandle implements ConnectionEventListener {

        private final XAConnection whole;
        private final AtomicBoolean ended = new AtomicBoolean();

        EndsWithItsHandle(XAConnection whole) {
            this.whole = whole;
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            if (!ended.getAndSet(true)) { // MariaDB's driver reports it again for what is closed here
                try {
                    whole.close();
                } catch (SQLException e) {
                    LOG.debugf("A connection outside the pool could not be closed properly: %s", e.getMessage());
                }
            }
        }

        /** The user of the connection gets the error too, and closes it. */
        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
        }
    }
}
