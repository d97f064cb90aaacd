package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** Credentials that change, as those of Vault do. Without the right PROCESS, a user sees only its own sessions. */
@FullBuild
@Timeout(180)
class MariaDbUsersTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private static MariaDbServer server;

    @BeforeAll
    static void start() throws SQLException {
        server = Databases.prepared(MariaDbServer.startWithGrants());
        for (String user : new String[] { "v1", "v2" }) {
            execute("CREATE USER " + user + "@localhost IDENTIFIED BY 'secret'");
            execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.* TO " + user + "@localhost");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static TransactionalJvm checkedBy(String user) {
        return new TransactionalJvm(server.kind(), server.url(), "v1", "secret", "users", 8, LEASE, false,
                TransactionIsolation.READ_COMMITTED, () -> DriverManager.getConnection(server.url(), user, "secret"));
    }

    @Test
    @Fault(415)
    void fault415_checkByAnotherUserLosesNothing() throws Exception {
        try (TransactionalJvm jvm = checkedBy("v2")) {
            inTransaction(() -> {
                LockHandle hold = jvm.locks.lock("n").acquire();
                Await.during("it is valid", LEASE.plusSeconds(1), hold::isValid);
                return hold;
            });
        }
    }

    @Test
    void checkBySameUserDetectsLoss() throws Exception {
        try (TransactionalJvm jvm = checkedBy("v1")) {
            var told = new CompletableFuture<Boolean>();
            TRANSACTIONS.begin();
            jvm.locks.lock("n").acquire().onLost(() -> told.complete(true));
            execute("KILL " + jvm.read("SELECT CONNECTION_ID()"));
            assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
            TRANSACTIONS.rollback();
        }
    }
}
