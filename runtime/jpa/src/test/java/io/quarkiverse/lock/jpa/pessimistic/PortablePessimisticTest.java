package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.util.Optional;

import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;

/** {@link PessimisticContract} with the locking statements for databases that are not tested here. */
@FullBuild
class PortablePessimisticTest extends PessimisticContract {

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

    /** Otherwise sessions without a limit wait for a row for two seconds only, which is short on a busy machine. */
    @Override
    String urlForOthers() {
        return server.url().replace("jdbc:h2:mem:", "jdbc:h2:tcp://127.0.0.1:" + network.getPort() + "/mem:")
                + ";LOCK_TIMEOUT=60000";
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
    boolean portable() {
        return true;
    }
}
