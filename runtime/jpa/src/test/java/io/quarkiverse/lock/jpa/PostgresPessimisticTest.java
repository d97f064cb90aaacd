package io.quarkiverse.lock.jpa;

import static io.quarkiverse.lock.jpa.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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

    @Test
    void theApplicationsOwnTimeoutStaysAlsoWhereTheRowHasGone() throws Exception {
        try (var jvm = new TransactionalJvm(server, namespace, false)) {
            inTransaction(() -> jvm.locks.lock("purged").acquire());
            execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
            assertThat(TransactionalJvm.<String> inTransaction(() -> {
                jvm.execute("SET LOCAL lock_timeout = '1234ms'");
                jvm.locks.lock("purged").tryAcquire(Duration.ofMillis(200)).orElseThrow();
                return jvm.read("SHOW lock_timeout");
            })).isEqualTo("1234ms");
        }
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }
}
