package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.DowngradeContract;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
import io.quarkiverse.lock.testkit.contract.LeftoversContract;
import io.quarkiverse.lock.testkit.contract.LimitContract;
import io.quarkiverse.lock.testkit.contract.LingerContract;
import io.quarkiverse.lock.testkit.contract.LossContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.RenewalContract;
import io.quarkiverse.lock.testkit.contract.RevokeContract;
import io.quarkiverse.lock.testkit.contract.SeveralNamesContract;
import io.quarkiverse.lock.testkit.contract.SharedContract;
import io.quarkiverse.lock.testkit.contract.ShutdownContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.ValidityContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** What depends on how a grant is made, kept and lost, with a marker after its grace: each of these steps looks for it. */
@FullBuild
class PostgresGraceContractTest implements ContractSubject {

    private static final JpaLockOptions GRACE = Databases.OPTIONS.withGrace(Duration.ofHours(24));

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (var pool = Databases.pool(server, server.url(), 2)) {
            new Schema(LockDatabase.of(pool, Databases.sessions(server.kind()), null, GRACE)).checkForLeases();
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
        return new JpaContractEnvironment("postgresql", server, new Databases(GRACE, false))
                .repetitions(Databases.FEWER);
    }

    @Nested
    class DowngradeTest extends DowngradeContract {
    }

    @Nested
    class FencingTest extends FencingContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class LimitTest extends LimitContract {
    }

    @Nested
    class LingerTest extends LingerContract {
    }

    @Nested
    class LossTest extends LossContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class RenewalTest extends RenewalContract {
    }

    @Nested
    class RevokeTest extends RevokeContract {
    }

    @Nested
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    class SharedTest extends SharedContract {
    }

    @Nested
    class ShutdownTest extends ShutdownContract {
    }

    @Nested
    class TokenTest extends TokenContract {
    }

    @Nested
    class ValidityTest extends ValidityContract {
    }

    @Nested
    class WaitingTest extends WaitingContract {
    }
}
