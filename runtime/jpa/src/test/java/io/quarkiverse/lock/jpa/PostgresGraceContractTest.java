package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** The same with a marker, after its grace. */
@FullBuild
class PostgresGraceContractTest extends PostgresContractTest {

    private static final JpaLockOptions GRACE = Databases.OPTIONS.withGrace(Duration.ofHours(24));

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (var pool = Databases.pool(server, server.url(), 2)) {
            new Schema(LockDatabase.of(pool, Databases.sessions(server.kind()), null, GRACE)).checkMarker();
        }
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("UPDATE quarkus_lock SET expires = 1, asked = txid_current() & 4294967295 WHERE id = 'marker'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new JpaContractEnvironment("postgresql", server, new Databases(GRACE, false));
    }
}
