package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** {@link PessimisticContract} on this database. */
@FullBuild
class MariaDbPessimisticTest extends PessimisticContract implements ContractSubject {

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
    DatabaseServer server() {
        return server;
    }

    @Override
    String sessionQuery() {
        return "SELECT CONNECTION_ID()";
    }

    @Override
    String kill(String session) {
        return "KILL " + session;
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new PessimisticEnvironment(server);
    }

    /** Its row is newer than the snapshot, which says nothing of a holder. */
    @Test
    @Fault(103)
    void fault103_aNewNameIsNotRefusedToWhoHasReadBefore() throws Exception {
        TransactionalJvm jvm = jvm(oneSnapshot());
        assertThat(TransactionalJvm.<Boolean> inTransaction(() -> {
            jvm.read("SELECT amount FROM pess_work WHERE id = 1");
            return jvm.locks.lock("new").acquire().isValid();
        })).isTrue();
    }

    @Test
    @Fault(112)
    void fault112_aCheckThatReachesAnotherServerLosesNothing() throws Exception {
        try (var other = Databases.prepared(MariaDbServer.start())) {
            nobodyIsToldOfALossThatAnotherServerKnowsNothingOf(other);
        }
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }
}
