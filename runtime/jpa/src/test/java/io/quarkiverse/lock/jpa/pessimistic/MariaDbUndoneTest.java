package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A server that rolls back the whole transaction when a wait for a row times out. */
@FullBuild
class MariaDbUndoneTest {

    private static final int SOON = 60;

    private static MariaDbServer server;

    private final String namespace = "undone-" + UUID.randomUUID();

    @BeforeAll
    static void start() throws SQLException {
        server = Databases.prepared(MariaDbServer.start("--innodb-rollback-on-timeout=ON"));
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE undone_work (id INT PRIMARY KEY)");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private interface Held {

        void by(TransactionalJvm other) throws Exception;
    }

    private void held(Held held) throws Exception {
        try (var holder = new TransactionalJvm(server, namespace, false);
                var other = new TransactionalJvm(server, namespace, false)) {
            inTransaction(() -> {
                holder.locks.lock("n").acquire();
                CompletableFuture.runAsync(() -> {
                    try {
                        held.by(other);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                }).get(SOON, TimeUnit.SECONDS);
                return true;
            });
        }
    }

    private static boolean there(TransactionalJvm jvm, int id) throws Exception {
        return TransactionalJvm.<String> inTransaction(() -> jvm.read("SELECT COUNT(*) FROM undone_work WHERE id = " + id))
                .equals("1");
    }

    @Test
    @Fault(152)
    void fault152_halfUndoneTransactionIsNotCommitted() throws Exception {
        for (int millis : new int[] { 0, 200 }) {
            int id = 10 + millis;
            held(other -> {
                assertThatThrownBy(() -> inTransaction(() -> {
                    other.execute("INSERT INTO undone_work VALUES (" + id + ")");
                    try {
                        return other.locks.lock("n").tryAcquire(Duration.ofMillis(millis));
                    } finally {
                        other.execute("INSERT INTO undone_work VALUES (" + (id + 1) + ")");
                    }
                })).isInstanceOf(LockBackendException.class).hasMessageContaining("has rolled back the transaction");
                assertThat(there(other, id + 1)).as("after a wait of %d ms", millis).isFalse();
            });
        }
    }

    @Test
    @Fault(152)
    void fault152_transactionWithoutWorkContinuesAfterBusy() throws Exception {
        for (int millis : new int[] { 0, 200 }) {
            int id = 20 + millis;
            held(other -> {
                inTransaction(() -> {
                    assertThat(other.locks.lock("n").tryAcquire(Duration.ofMillis(millis))).isEmpty();
                    other.execute("INSERT INTO undone_work VALUES (" + id + ")");
                    return true;
                });
                assertThat(there(other, id)).as("after a wait of %d ms", millis).isTrue();
            });
        }
    }

    /** Within XA the server does not let a transaction start over. */
    @Test
    @Fault(158)
    void fault158_undoneWaitWithinXaIsReported() throws Exception {
        try (var jvm = TransactionalJvm.xa(server, namespace, MariaDbDataSource.class)) {
            for (int millis : new int[] { 0, 200 }) {
                int id = 30 + millis;
                held(other -> assertThatThrownBy(() -> inTransaction(() -> {
                    try {
                        return jvm.locks.lock("n").tryAcquire(Duration.ofMillis(millis));
                    } finally {
                        assertThat(TRANSACTIONS.getStatus()).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
                    }
                })).isInstanceOf(LockBackendException.class).hasMessageContaining("which XA does not allow")
                        .hasMessageContaining("innodb_rollback_on_timeout is ON"));
                inTransaction(() -> {
                    jvm.locks.lock("n").acquire();
                    jvm.execute("INSERT INTO undone_work VALUES (" + id + ")");
                    return true;
                });
                assertThat(there(jvm, id)).as("after a wait of %d ms", millis).isTrue();
            }
        }
    }

    /** Nobody minds the loss, but detecting it makes the server undo the work done after it. */
    @Test
    @Fault(178)
    void fault178_workUndoneByCommitCheckIsNotReportedCommitted() throws Exception {
        try (var jvm = new TransactionalJvm(server, namespace, false);
                var next = new TransactionalJvm(server, namespace, false)) {
            LockManager onlyNotified = jvm.engine.manager(new ManagerDefaults("notified", Duration.ofSeconds(20),
                    Duration.ofSeconds(30), true, null, OnLost.NOTIFY));
            TRANSACTIONS.begin();
            onlyNotified.lock("n").acquire();
            jvm.execute("CREATE TABLE undone_meanwhile (id INT PRIMARY KEY)");
            jvm.execute("INSERT INTO undone_work VALUES (40)");
            Transaction first = TRANSACTIONS.suspend();
            TRANSACTIONS.begin();
            next.locks.lock("n").acquire();
            Transaction holding = TRANSACTIONS.suspend();
            TRANSACTIONS.resume(first);
            assertThatThrownBy(TRANSACTIONS::commit).isInstanceOf(RollbackException.class);
            TRANSACTIONS.resume(holding);
            TRANSACTIONS.commit();
            assertThat(there(jvm, 40)).isFalse();
        }
    }
}
