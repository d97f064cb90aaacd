package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** {@link LeaseContract} through the driver and the dialect of MySQL, on MariaDB. */
@FullBuild
class ConnectorJLeaseTest extends LeaseContract {

    private static ConnectorJ server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(new ConnectorJ(MariaDbServer.start()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    /** {@link MariaDbLeaseTest} does. */
    @Override
    boolean countsStatements() {
        return false;
    }
}
