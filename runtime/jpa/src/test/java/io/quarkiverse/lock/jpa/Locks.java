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
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** The managers of some JVMs, in a separate namespace of one database. */
public final class Locks implements AutoCloseable {

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final String namespace = "test-" + UUID.randomUUID();
    private final DatabaseServer server;

    public Locks(DatabaseServer server) {
        this.server = server;
    }

    public LockManager jvm() {
        return jvm(server.url());
    }

    public LockManager jvm(String url) {
        return jvm(new Databases().database(server, url, 8, closeables::push));
    }

    public LockManager jvm(LockDialect dialect) {
        return jvm(pool(8), dialect, Databases.OPTIONS);
    }

    public LockManager jvm(DataSource pool, LockDialect dialect, JpaLockOptions options) {
        return jvm(LockDatabase.of(pool, Databases.sessions(server.kind()), dialect, null, options));
    }

    public LockManager jvm(LockDatabase database) {
        LockEngine engine = LockEngine.builder(new JpaLockBackend(database, namespace, "test")).start();
        closeables.push(engine);
        return engine.manager(ManagerDefaults.STANDARD);
    }

    public DataSource pool(int size) {
        var pool = Databases.pool(server, server.url(), size);
        closeables.push(pool);
        return pool;
    }

    public String id(String name) {
        return new LockNames(namespace).id(name);
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public long number(String sql) throws SQLException {
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
