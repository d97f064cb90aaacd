package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;

/** {@link LeaseContract} on this database. */
@FullBuild
class H2LeaseTest extends LeaseContract {

    private static H2Database server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(new H2Database());
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
