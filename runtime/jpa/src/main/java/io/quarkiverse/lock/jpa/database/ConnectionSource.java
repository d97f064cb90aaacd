package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

/** Where the steps of locks get their connections. */
public interface ConnectionSource {

    /** A connection for a step that must end by {@code deadline}, a {@link System#nanoTime()}. */
    Connection take(long deadline) throws SQLException;

    /**
     * The step is over.
     *
     * @param failed whether it failed, possibly because of the connection
     */
    void giveBack(Connection connection, boolean failed) throws SQLException;

    /** Connections of the application's pool. */
    static ConnectionSource of(DataSource pool) {
        return new ConnectionSource() {

            @Override
            public Connection take(long deadline) throws SQLException {
                return pool.getConnection();
            }

            @Override
            public void giveBack(Connection connection, boolean failed) throws SQLException {
                connection.close();
            }
        };
    }
}
