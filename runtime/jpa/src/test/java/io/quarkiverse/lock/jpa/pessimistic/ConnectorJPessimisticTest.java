package io.quarkiverse.lock.jpa.pessimistic;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.jpa.ConnectorJ;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** {@link PessimisticContract} with MySQL's driver and statements on MariaDB: they report errors differently. */
@FullBuild
class ConnectorJPessimisticTest extends PessimisticContract {

    private static ConnectorJ server;

    @BeforeAll
    static void start() {
        server = Databases.withTables(new ConnectorJ(MariaDbServer.start()));
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

    @Nested
    class TransactionTimeoutTest extends TransactionTimeoutContract {

        @Override
        DatabaseServer server() {
            return server;
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
            return "USE " + schema;
        }
    }
}
