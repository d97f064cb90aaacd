package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.transaction.Transaction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.ListContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
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

    /** At the default isolation of MariaDB a lock can hold back the first use of another name. */
    @Override
    public ContractEnvironment newEnvironment() {
        return new PessimisticEnvironment(server, TransactionIsolation.READ_COMMITTED);
    }

    /** Its row is newer than the snapshot, but that does not mean there is a holder. */
    @Test
    @Fault(103)
    void fault103_newNameIsGrantedAfterEarlierRead() throws Exception {
        TransactionalJvm jvm = jvm(oneSnapshot());
        assertThat(TransactionalJvm.<Boolean> inTransaction(() -> {
            jvm.read("SELECT amount FROM pess_work WHERE id = 1");
            return jvm.locks.lock("new").acquire().isValid();
        })).isTrue();
    }

    @Test
    @Fault(112)
    void fault112_checkOnAnotherServerLosesNothing() throws Exception {
        try (var other = Databases.prepared(MariaDbServer.start())) {
            assertOtherServerReportsNoLoss(other);
        }
    }

    /** This happens by chance when the page of the other row is split. */
    @Test
    @Fault(134)
    void fault134_blockedInsertOfNewNameIsReported() throws Exception {
        TransactionalJvm jvm = jvm(TransactionIsolation.REPEATABLE_READ);
        TransactionalJvm.inTransaction(() -> jvm.locks.lock("old").acquire().isValid());
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            try (Statement statement = holder.createStatement()) {
                statement.execute("SELECT fence FROM quarkus_lock FOR UPDATE"); // and all gaps
            }
            assertThatThrownBy(() -> TransactionalJvm.inTransaction(() -> jvm.locks.lock("held back").acquire()))
                    .isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("'held back': its row could not be inserted")
                    .hasMessageContaining("quarkus.datasource.jdbc.transaction-isolation-level=read-committed")
                    .hasMessageContaining("is the database up?");
            holder.rollback();
        }
        assertThat(TransactionalJvm.<Boolean> inTransaction(() -> jvm.locks.lock("held back").acquire().isValid())).isTrue();
    }

    /** Within XA the server does not let a transaction start over. */
    @Test
    @Fault(158)
    void fault158_lockWithPurgedRowIsTakenWithinXa() throws Exception {
        try (var jvm = TransactionalJvm.xa(server, namespace, MariaDbDataSource.class);
                var other = TransactionalJvm.xa(server, namespace, MariaDbDataSource.class)) {
            for (TransactionalJvm each : List.of(jvm, other)) {
                inTransaction(() -> each.locks.lock("n").acquire());
            }
            execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
            inTransaction(() -> {
                jvm.locks.lock("n").acquire();
                jvm.execute("UPDATE pess_work SET amount = 158 WHERE id = 1");
                Transaction holds = TransactionalJvm.TRANSACTIONS.suspend();
                try {
                    assertThat(isFree(other)).isFalse();
                } finally {
                    TransactionalJvm.TRANSACTIONS.resume(holds);
                }
                return true;
            });
            assertThat(isFree(jvm)).isTrue();
            assertThat(isFree(other)).isTrue();
            assertThat(TransactionalJvm.<String> inTransaction(() -> jvm.read("SELECT amount FROM pess_work WHERE id = 1")))
                    .isEqualTo("158");
        }
    }

    /** The driver reconnects to the second address by itself; the commit finds nothing to commit there, and succeeds. */
    @Test
    @Fault(318)
    void fault318_transactionLostBeforeCommitFails() throws Exception {
        for (OnLost onLost : List.of(OnLost.FAIL, OnLost.NOTIFY)) {
            try (FaultProxy first = FaultProxy.to(server.host(), server.port());
                    FaultProxy second = FaultProxy.to(server.host(), server.port());
                    TransactionalJvm jvm = behind(first, second)) {
                LockManager locks = jvm.engine.manager(new ManagerDefaults("two addresses", Duration.ofSeconds(20),
                        Duration.ofSeconds(30), true, null, onLost));
                var told = new CompletableFuture<Boolean>();
                assertThatThrownBy(() -> locks.lock("n").call(() -> {
                    locks.lock("n").acquire().onLost(() -> told.complete(true));
                    jvm.execute("UPDATE pess_work SET amount = 318 WHERE id = 1");
                    first.cut();
                    return "success";
                })).as("with %s", onLost).isInstanceOf(LockLostException.class).hasMessageContaining("'n'")
                        .hasMessageContaining("connection").hasCauseInstanceOf(SQLException.class);
                assertThat(told).succeedsWithin(Duration.ofSeconds(60));
                assertThat(second.accepted()).as("connections to the second address").isPositive();
            }
        }
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isZero();
    }

    /** The driver reconnects and replays the transaction, including the write of the lock row. */
    @Test
    @Fault(365)
    void fault365_replayedTransactionDoesNotRegainItsLock() throws Exception {
        String address = server.host() + ":" + server.port();
        TransactionalJvm other = jvm(TransactionIsolation.READ_COMMITTED);
        try (var replaying = new TransactionalJvm(server.kind(),
                "jdbc:mariadb:sequential://" + address + "," + address + "/locks?transactionReplay=true", server.user(),
                server.password(), namespace, 8, Duration.ofSeconds(30), false)) {
            var sessions = new String[2];
            assertThatThrownBy(() -> replaying.locks.lock("n").call(() -> {
                sessions[0] = replaying.read(sessionQuery());
                int read = Integer.parseInt(replaying.read("SELECT amount FROM pess_work WHERE id = 1"));
                execute(kill(sessions[0]));
                TransactionalJvm.start(() -> other.locks.lock("n").call(() -> {
                    other.execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1");
                    return true;
                })).get(30, TimeUnit.SECONDS);
                replaying.execute("UPDATE pess_work SET amount = " + (read + 1) + " WHERE id = 1");
                sessions[1] = replaying.read(sessionQuery());
                return "success";
            })).isInstanceOf(LockLostException.class).hasMessageContaining("'n'");
            assertThat(sessions[1]).as("the driver has replayed").isNotNull().isNotEqualTo(sessions[0]);
        }
    }

    /** The pool reports both alike if the dead connection would be the first of its transaction. */
    @Test
    @Fault(465)
    void fault465_deadConnectionIsNotReportedAsSecondDataSource() throws Exception {
        TransactionalJvm a = jvm(1, Duration.ofSeconds(30));
        a.locks.lock("n").call(() -> true);
        execute(kill(a.read(sessionQuery())));
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> true)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("'n'").hasMessageNotContaining("another data source");
        assertThat(a.locks.lock("n").<Boolean> call(() -> true)).isTrue();
    }

    private TransactionalJvm behind(FaultProxy first, FaultProxy second) {
        String url = "jdbc:mariadb:sequential://" + first.host() + ":" + first.port() + "," + second.host() + ":"
                + second.port() + "/locks";
        return new TransactionalJvm(server.kind(), url, server.user(), server.password(), namespace, 8,
                Duration.ofSeconds(30), false);
    }

    private static boolean isFree(TransactionalJvm jvm) throws Exception {
        return inTransaction(() -> jvm.locks.lock("n").tryAcquire(Duration.ZERO).isPresent());
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
