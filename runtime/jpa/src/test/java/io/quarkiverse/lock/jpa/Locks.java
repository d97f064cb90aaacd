package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

import javax.sql.DataSource;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** The managers of some JVMs, in a namespace of their own in one database. */
final class Locks implements AutoCloseable {

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final String namespace = "test-" + UUID.randomUUID();
    private final DatabaseServer server;

    Locks(DatabaseServer server) {
        this.server = server;
    }

    LockManager jvm() {
        return jvm(server.url());
    }

    LockManager jvm(String url) {
        return jvm(new Databases().database(server, url, 8, closeables::push));
    }

    LockManager jvm(LockDialect dialect) {
        return jvm(pool(8), dialect, Databases.OPTIONS);
    }

    LockManager jvm(DataSource pool, LockDialect dialect, JpaLockOptions options) {
        return jvm(LockDatabase.of(pool, Databases.sessions(server.kind()), dialect, null, options));
    }

    LockManager jvm(LockDatabase database) {
        LockEngine engine = LockEngine.builder(new JpaLockBackend(database, namespace, "test")).start();
        closeables.push(engine);
        return engine.manager(ManagerDefaults.STANDARD);
    }

    DataSource pool(int size) {
        var pool = Databases.pool(server, server.url(), size);
        closeables.push(pool);
        return pool;
    }

    String id(String name) {
        return Ids.of(namespace, name);
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws Exception {
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }
}
