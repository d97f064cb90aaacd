package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/** Where the steps of locks get their connections. */
public interface ConnectionSource {

    /** A connection for a step that must end by {@code deadline}, a {@link System#nanoTime()}. */
    Connection take(long deadline) throws SQLException;

    /**
     * The step is over.
     *
     * @param failure why it failed, possibly because of the connection; null if it did not
     */
    void giveBack(Connection connection, @Nullable Throwable failure) throws SQLException;

    /** Connections of the application's pool. */
    static ConnectionSource of(DataSource pool) {
        return new ConnectionSource() {

            @Override
            public Connection take(long deadline) throws SQLException {
                return pool.getConnection();
            }

            @Override
            public void giveBack(Connection connection, @Nullable Throwable failure) throws SQLException {
                connection.close();
            }
        };
    }
}
