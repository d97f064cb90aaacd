package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link LeaseContract} in a database whose transactions are SERIALIZABLE unless they say otherwise: fault 53. */
class PostgresSerializableTest extends LeaseContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of("default_transaction_isolation", "serializable")));
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
