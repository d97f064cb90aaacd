package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Optional;

import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.ListContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;

/** {@link PessimisticContract} on this database. */
@FullBuild
class H2PessimisticTest extends PessimisticContract implements ContractSubject {

    private static H2Database server;
    private static Server network;

    @BeforeAll
    static void start() throws SQLException {
        server = Databases.prepared(new H2Database());
        network = Server.createTcpServer("-tcpPort", "0").start();
    }

    @AfterAll
    static void stop() {
        network.stop();
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    @Override
    String urlForOthers() {
        return server.url().replace("jdbc:h2:mem:", "jdbc:h2:tcp://127.0.0.1:" + network.getPort() + "/mem:");
    }

    /** Below that level H2 takes a snapshot of each table at its first read. */
    @Override
    TransactionIsolation oneSnapshot() {
        return TransactionIsolation.SERIALIZABLE;
    }

    @Override
    Optional<String> patience() {
        return Optional.of("SET LOCK_TIMEOUT 60000");
    }

    @Override
    String sessionQuery() {
        return "SELECT SESSION_ID()";
    }

    @Override
    String kill(String session) {
        return "CALL ABORT_SESSION(" + session + ")";
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new PessimisticEnvironment(server);
    }

    @Nested
    class ListTest extends ListContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }

    @Nested
    class TransactionTimeoutTest extends TransactionTimeoutContract {

        @Override
        DatabaseServer server() {
            return server;
        }

        @Override
        boolean rollbackEndsWaits() {
            return false;
        }
    }

    @Nested
    class CommitLookTest extends CommitLookContract {

        @Override
        DatabaseServer server() {
            return server;
        }

        @Override
        String goTo(String schema) {
            return "SET SCHEMA " + schema;
        }

        @Test
        @Fault(157)
        void fault157_tableOnSearchPathIsFoundAtCommit() throws Exception {
            TransactionalJvm a = jvm();
            assertThat(TransactionalJvm.<Boolean> inTransaction(() -> {
                a.execute(goTo("empty_tenant"));
                a.execute("SET SCHEMA_SEARCH_PATH PUBLIC");
                return a.locks.lock("n").acquire().isValid();
            })).isTrue();
        }
    }
}
