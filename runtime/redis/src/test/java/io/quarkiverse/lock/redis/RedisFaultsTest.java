package io.quarkiverse.lock.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.RedisContractEnvironment;
import io.quarkiverse.lock.testkit.faults.HolderFaults;
import io.quarkiverse.lock.testkit.faults.LinkFaults;
import io.quarkiverse.lock.testkit.faults.StoreFaults;
import io.quarkiverse.lock.testkit.faults.TransferFaults;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** The faults that every backend must survive, on a Redis that keeps its data over a restart. */
class RedisFaultsTest implements ContractSubject {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start("appendonly yes", "appendfsync everysec");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new RedisContractEnvironment(server, RedisChildBackend::make).childBackend(RedisChildBackend.class)
                .keepsData();
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

    @Nested
    class TransferTest extends TransferFaults {
    }
}
