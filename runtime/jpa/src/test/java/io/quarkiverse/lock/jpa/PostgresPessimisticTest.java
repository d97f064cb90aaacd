package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link PessimisticContract} on this database. */
class PostgresPessimisticTest extends PessimisticContract implements ContractSubject {

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
    DatabaseServer server() {
        return server;
    }

    @Override
    String sessionQuery() {
        return "SELECT pg_backend_pid()";
    }

    @Override
    String kill(String session) {
        return "SELECT pg_terminate_backend(" + session + ")";
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new PessimisticEnvironment(server);
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }
}
