package io.quarkiverse.lock.testkit.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A relational database for tests, started on this machine and empty. */
public interface DatabaseServer extends AutoCloseable {

    /** The kind of database: {@code postgresql}, {@code mariadb}, {@code h2}. */
    String kind();

    String host();

    /** The port; 0 if the database is inside this JVM. */
    int port();

    /** The JDBC URL for clients that reach it at another address, such as that of a proxy. */
    String url(String host, int port);

    String user();

    String password();

    /** The database's clock, in µs since 1970, as an SQL expression. */
    String nowMicros();

    /** Freezes the server: connections stay open, nothing is answered. */
    default void pause() {
        throw new UnsupportedOperationException();
    }

    /** Ends {@link #pause}. */
    default void resume() {
        throw new UnsupportedOperationException();
    }

    /** Whether it {@link #restart}s. */
    default boolean restarts() {
        return false;
    }

    /** Kills the server and starts it again, with its data and on the same port; returns when it answers. */
    default void restart() {
        throw new UnsupportedOperationException();
    }

    default String url() {
        return url(host(), port());
    }

    /** A new connection for assertions. */
    default Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), user(), password());
    }

    @Override
    void close();
}
