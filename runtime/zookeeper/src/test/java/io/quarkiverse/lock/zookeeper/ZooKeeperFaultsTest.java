package io.quarkiverse.lock.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.ZooKeeperContractEnvironment;
import io.quarkiverse.lock.testkit.faults.HolderFaults;
import io.quarkiverse.lock.testkit.faults.LinkFaults;
import io.quarkiverse.lock.testkit.faults.StoreFaults;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** The faults that every backend has to survive, on a ZooKeeper server. */
class ZooKeeperFaultsTest implements ContractSubject {

    private static ZooKeeperServer server;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new ZooKeeperContractEnvironment(server, ZooKeeperChildBackend::make)
                .childBackend(ZooKeeperChildBackend.class);
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
