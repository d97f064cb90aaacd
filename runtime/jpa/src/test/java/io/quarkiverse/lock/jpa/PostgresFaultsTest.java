package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
import io.quarkiverse.lock.testkit.faults.HolderFaults;
import io.quarkiverse.lock.testkit.faults.LinkFaults;
import io.quarkiverse.lock.testkit.faults.StoreFaults;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** The faults of holders, of links and of the server that every backend has to survive. */
class PostgresFaultsTest implements ContractSubject {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new JpaContractEnvironment("postgresql", server, new Databases()).childBackend(JpaChildBackend.class);
    }

    @Nested
    class HolderTest extends HolderFaults {
    }

    @Nested
    class LinkTest extends LinkFaults {
    }

    @Nested
    class StoreTest extends StoreFaults {
    }
}
