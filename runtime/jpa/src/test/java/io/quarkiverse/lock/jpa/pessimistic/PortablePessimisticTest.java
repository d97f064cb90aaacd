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

/** {@link PessimisticContract} with what databases are locked by that are not tested here. */
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

    /**
     * Else sessions wait for a row for two seconds only, if they are not told how long, and on a busy machine that is short.
     */
    @Override
    String urlForOthers() {
        return server.url().replace("jdbc:h2:mem:", "jdbc:h2:tcp://127.0.0.1:" + network.getPort() + "/mem:")
                + ";LOCK_TIMEOUT=60000";
    }

    /** Below that H2 takes a snapshot of each table when it is looked at first. */
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
