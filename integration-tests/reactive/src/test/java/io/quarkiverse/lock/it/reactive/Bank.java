package io.quarkiverse.lock.it.reactive;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.quarkiverse.lock.testkit.Await;

/** The database as others see it: what is committed, and what waits for what. Can delay writes and commits. */
final class Bank implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url;
    private final Connection connection;

    Bank(String url) throws SQLException {
        this.url = url;
        this.connection = DriverManager.getConnection(url);
    }

    void open(String id) throws SQLException {
        execute("insert into account (id, balance) values ('" + id + "', 0)");
    }

    long balance(String id) throws SQLException {
        return number("select balance from account where id = '" + id + "'");
    }

    /** Until this is closed, no transaction that has written this account commits. */
    Bank stopCommits(String id) throws SQLException {
        Bank stop = new Bank(url);
        stop.execute("select pg_advisory_lock(hashtext('" + id + "'))");
        return stop;
    }

    /** Until this is closed, nobody writes this account. */
    Bank stopWrites(String id) throws SQLException {
        Bank stop = new Bank(url);
        stop.connection.setAutoCommit(false);
        stop.execute("select * from account where id = '" + id + "' for update");
        return stop;
    }

    void awaitOneStopped() {
        Await.until("somebody waits in the database", PATIENCE,
                () -> number("select count(*) from pg_locks where not granted") == 1);
    }

    void awaitNoTransaction() {
        Await.until("no transaction is open", PATIENCE, () -> number("""
                select count(*) from pg_stat_activity
                 where pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null""") == 0);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
