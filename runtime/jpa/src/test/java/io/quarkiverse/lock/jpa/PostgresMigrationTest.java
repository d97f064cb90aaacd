package io.quarkiverse.lock.jpa;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link MigrationContract} on this database. */
class PostgresMigrationTest extends MigrationContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }
}
