package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** {@link LeaseContract} in a database whose transactions are SERIALIZABLE unless they say otherwise: fault 53. */
@FullBuild
@Execution(ExecutionMode.SAME_THREAD) // which collide with each other
class MariaDbSerializableTest extends LeaseContract {

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(MariaDbServer.start("--transaction-isolation=SERIALIZABLE"));
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
