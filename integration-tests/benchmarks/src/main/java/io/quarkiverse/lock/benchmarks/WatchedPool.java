package io.quarkiverse.lock.benchmarks;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

import javax.sql.DataSource;

import io.agroal.api.AgroalDataSource;

/** A pool that counts requests: statements, and connections that it could not provide. */
final class WatchedPool implements DataSource, AutoCloseable {

    private static final Set<String> ROUND_TRIPS = Set.of("prepareStatement", "createStatement", "commit", "rollback");

    private final AgroalDataSource pool;
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    WatchedPool(AgroalDataSource pool) {
        this.pool = pool;
    }

    /** The statements created, plus ends of transactions. The backend runs each once. */
    int statements() {
        return statements.get();
    }

    /** How often a caller waited in vain for a connection. */
    int refused() {
        return refused.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection;
        try {
            connection = pool.getConnection();
        } catch (SQLException e) {
            refused.incrementAndGet();
            throw e;
        }
        return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
                (proxy, method, arguments) -> {
                    if (ROUND_TRIPS.contains(method.getName())) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return pool.isWrapperFor(type);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return pool.getParentLogger();
    }

    @Override
    public void close() {
        pool.close();
    }
}
