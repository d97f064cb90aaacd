package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
import io.quarkiverse.lock.testkit.faults.HolderFaults;
import io.quarkiverse.lock.testkit.faults.LinkFaults;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** The faults of holders and of links that every backend has to survive. */
@FullBuild
class MariaDbFaultsTest implements ContractSubject {

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(MariaDbServer.start());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new JpaContractEnvironment("mariadb", server, new Databases()).childBackend(JpaChildBackend.class);
    }

    @Nested
    class HolderTest extends HolderFaults {
    }

    @Nested
    class LinkTest extends LinkFaults {
    }
}
