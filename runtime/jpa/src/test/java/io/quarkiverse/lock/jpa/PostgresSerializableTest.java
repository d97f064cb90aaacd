package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.Step;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link LeaseContract} in a database whose transactions are SERIALIZABLE unless they say otherwise: fault 53. */
@FullBuild
@Execution(ExecutionMode.SAME_THREAD) // tests would collide with each other
class PostgresSerializableTest extends LeaseContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of("default_transaction_isolation", "serializable")));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    /** {@link PostgresLeaseTest} does. */
    @Override
    boolean countsStatements() {
        return false;
    }

    @Test
    @Fault(53)
    void fault53_collidedStepIsRetriedReadCommitted() throws Exception {
        LockDatabase database = backend(1).database();
        List<String> seen = new ArrayList<>();
        Step<Boolean> collides = step -> {
            seen.add(step.first("SHOW transaction_isolation", row -> row.getString(1)));
            if (seen.size() == 1) {
                throw new SQLException("collided", "40001");
            }
            return true;
        };
        database.steps().call(database.steps().deadline(), collides);
        database.steps().call(database.steps().deadline(), collides);
        assertThat(seen).containsExactly("serializable", "read committed", "serializable");
    }

    @Test
    @Fault(446)
    void fault446_collidedCheckIsRetriedReadCommitted() throws Exception {
        LockDatabase database = backend(1).database();
        List<String> seen = new ArrayList<>();
        database.steps().first(step -> {
            seen.add(step.first("SHOW transaction_isolation", row -> row.getString(1)));
            if (seen.size() == 1) {
                throw new SQLException("collided", "40001");
            }
            return true;
        });
        database.steps().call(database.steps().deadline(), step -> true);
        assertThat(seen).containsExactly("serializable", "read committed");
    }

    /** One of the many rows is enough to make the renewal fail, for as long as others reach that row first. */
    @Test
    @Fault(53)
    void fault53_renewalsSurviveConcurrentRowUpdates() throws Exception {
        LockManager locks = jvm();
        LockOptions shortly = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(4));
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            holds.add(locks.lock("disturbed-" + i, shortly).acquire());
        }
        String id = new LockNames(namespace).id("disturbed-3");
        var over = new AtomicBoolean();
        List<CompletableFuture<Void>> others = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                others.add(CompletableFuture.runAsync(() -> disturb(id, over), task -> new Thread(task).start()));
            }
            Await.during("they are renewed", Duration.ofSeconds(9), () -> holds.stream().allMatch(LockHandle::isValid));
        } finally {
            over.set(true);
        }
        for (CompletableFuture<Void> each : others) {
            each.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
        holds.forEach(LockHandle::close);
    }

    private static void disturb(String id, AtomicBoolean over) {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            while (!over.get()) {
                statement.execute("UPDATE quarkus_lock SET since = since WHERE id = '" + id + "'");
                statement.execute("SELECT pg_sleep(0.02)");
                connection.commit();
            }
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }
}
