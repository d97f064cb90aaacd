package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.REGISTRY;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.free;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** A transaction checks its locks before it commits: when, and where. Run on each database. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CommitLookContract {

    private static final Duration SOON = Duration.ofSeconds(60);

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final String namespace = "look-" + UUID.randomUUID();

    abstract DatabaseServer server();

    /** SQL that makes a session look for tables elsewhere until its transaction ends. */
    abstract String goTo(String schema);

    /** SQL that gives a session a role without any rights until its transaction ends. */
    Optional<String> takeRole() {
        return Optional.empty();
    }

    @BeforeEach
    void work() throws SQLException {
        execute("CREATE TABLE IF NOT EXISTS pess_work (id INT PRIMARY KEY, amount INT NOT NULL)", "DELETE FROM pess_work",
                "CREATE SCHEMA IF NOT EXISTS empty_tenant", "CREATE SCHEMA IF NOT EXISTS tenant",
                "CREATE TABLE IF NOT EXISTS tenant.quarkus_lock AS SELECT * FROM quarkus_lock WHERE 1 = 0");
    }

    @AfterEach
    void close() throws Exception {
        if (TRANSACTIONS.getTransaction() != null) {
            TRANSACTIONS.rollback();
        }
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }

    /** SQL that commits a transaction implicitly. */
    Optional<String> statementThatCommits() {
        return Optional.of("CREATE TABLE IF NOT EXISTS commits (id INT)");
    }

    /** At READ COMMITTED, where no database refuses a wait after a first read. */
    TransactionalJvm jvm() {
        return jvm(TransactionIsolation.READ_COMMITTED);
    }

    private TransactionalJvm jvm(TransactionIsolation isolation) {
        DatabaseServer server = server();
        var jvm = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(), namespace, 16,
                Duration.ofSeconds(30), false, isolation, server::connect);
        closeables.push(jvm);
        return jvm;
    }

    private void execute(String... all) throws SQLException {
        try (Connection connection = server().connect(); Statement statement = connection.createStatement()) {
            for (String sql : all) {
                statement.execute(sql);
            }
        }
    }

    private int rows() throws SQLException {
        try (Connection connection = server().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM pess_work")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static boolean freeFromAnotherThread(TransactionalJvm jvm, String name) throws Exception {
        CompletableFuture<Boolean> result = start(() -> free(jvm, name));
        assertThat(result).succeedsWithin(SOON);
        return result.get();
    }

    // --- when

    @Test
    @Fault(156)
    void fault156_lockUndoneByLaterSynchronizationFailsCommit() throws Exception {
        undoneBy(CommitLookContract::plain);
    }

    @Test
    @Fault(156)
    void fault156_lockUndoneByInterposedSynchronizationFailsCommit() throws Exception {
        undoneBy(CommitLookContract::interposed);
    }

    /** Like a flush whose listeners observe the transaction. */
    @Test
    @Fault(156)
    void fault156_lockUndoneByNestedSynchronizationFailsCommit() throws Exception {
        undoneBy(task -> plain(() -> {
            interposed(task);
            return true;
        }));
    }

    private interface Registration {

        void register(Callable<?> task) throws Exception;
    }

    private void undoneBy(Registration later) throws Exception {
        TransactionalJvm a = jvm();
        var told = new CompletableFuture<Boolean>();
        TRANSACTIONS.begin();
        LockHandle before = a.locks.lock("before").acquire();
        a.execute("SAVEPOINT mine");
        LockHandle hold = a.locks.lock("n").acquire();
        hold.onLost(() -> told.complete(true));
        later.register(() -> {
            a.execute("ROLLBACK TO SAVEPOINT mine");
            a.execute("INSERT INTO pess_work VALUES (2, 0)");
            return true;
        });
        assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining("LockLostException");
        assertThat(told).succeedsWithin(SOON);
        assertThat(hold.isValid()).isFalse();
        assertThat(before.name()).isEqualTo("before");
        assertThat(rows()).isZero();
        assertThat(free(a, "n")).isTrue();
        assertThat(free(a, "before")).isTrue();
    }

    @Test
    @Fault(156)
    void fault156_callFailsWhenSynchronizationUndoesItsLock() throws Exception {
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> inTransaction(() -> {
            a.execute("SAVEPOINT mine");
            return a.locks.lock("n").call(() -> {
                interposed(() -> {
                    a.execute("ROLLBACK TO SAVEPOINT mine");
                    return true;
                });
                return true;
            });
        })).hasStackTraceContaining("LockLostException");
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    @Fault(156)
    void fault156_synchronizationsRunUnderTheLock() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        var free = new ArrayList<Boolean>();
        TRANSACTIONS.begin();
        LockHandle first = a.locks.lock("first").acquire();
        LockHandle second = a.locks.lock("second").acquire();
        Callable<Boolean> work = () -> {
            a.execute("INSERT INTO pess_work VALUES (" + (10 + free.size()) + ", 0)");
            return free.add(freeFromAnotherThread(b, free.isEmpty() ? "first" : "second"));
        };
        plain(work);
        interposed(work);
        plain(() -> {
            interposed(work);
            return true;
        });
        TRANSACTIONS.commit();
        assertThat(free).containsExactly(false, false, false);
        assertThat(rows()).isEqualTo(3);
        assertThat(first.name() + second.name()).isEqualTo("firstsecond");
        assertThat(free(b, "first") && free(b, "second")).isTrue();
    }

    /** Each transaction checks its own locks, even one that another transaction's synchronization begins and ends. */
    @Test
    @Fault(156)
    void fault156_innerTransactionChecksItsOwnLocks() throws Exception {
        TransactionalJvm a = jvm();
        TRANSACTIONS.begin();
        LockHandle outer = a.locks.lock("outer").acquire();
        interposed(() -> {
            Transaction suspended = TRANSACTIONS.suspend();
            try {
                undoneBy(CommitLookContract::interposed);
                assertThat((Boolean) inTransaction(() -> a.locks.lock("inner").call(() -> {
                    a.execute("INSERT INTO pess_work VALUES (3, 0)");
                    return true;
                }))).isTrue();
            } finally {
                TRANSACTIONS.resume(suspended);
            }
            a.execute("INSERT INTO pess_work VALUES (4, 0)");
            return true;
        });
        TRANSACTIONS.commit();
        assertThat(outer.name()).isEqualTo("outer");
        assertThat(rows()).isEqualTo(2);
        assertThat(free(a, "outer") && free(a, "inner")).isTrue();
    }

    private static void plain(Callable<?> task) throws Exception {
        TRANSACTIONS.getTransaction().registerSynchronization(before(task));
    }

    private static void interposed(Callable<?> task) {
        REGISTRY.registerInterposedSynchronization(before(task));
    }

    private static Synchronization before(Callable<?> task) {
        return new Synchronization() {

            @Override
            public void beforeCompletion() {
                try {
                    task.call();
                } catch (Exception e) {
                    throw new IllegalStateException("The synchronization has failed", e);
                }
            }

            @Override
            public void afterCompletion(int status) {
                // nothing to do
            }
        };
    }

    /** As in a listener that Hibernate calls for a flush. */
    @Test
    @Fault(179)
    void fault179_lockingJustBeforeCommitIsRejected() throws Exception {
        TransactionalJvm a = jvm();
        LockHandle first = inTransaction(() -> {
            LockHandle hold = a.locks.lock("n").acquire();
            interposed(() -> assertThatThrownBy(() -> a.locks.lock("late").acquire())
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("is about to commit")
                    .hasMessageNotContaining("rolled back"));
            a.execute("INSERT INTO pess_work VALUES (2, 0)");
            return hold;
        });
        assertThat(first.name()).isEqualTo("n");
        assertThat(rows()).isEqualTo(1);
        assertThat(free(a, "late") && free(a, "n")).isTrue();
    }

    /** Such as Hibernate's flush of another persistence unit, which gets no connection. */
    @Test
    @Fault(466)
    void fault466_failureBeforeCommitIsNotReportedAsLostCommit() throws Exception {
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            a.execute("INSERT INTO pess_work VALUES (2, 0)");
            plain(() -> {
                throw new SQLException("no connection, on purpose"); // without an SQL state, as pools throw it
            });
            return true;
        })).isInstanceOf(LockBackendException.class).isNotInstanceOf(LockLostException.class)
                .hasMessageContaining("could not be committed").hasMessageNotContaining("not known")
                .hasStackTraceContaining("on purpose");
        assertThat(rows()).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    @Fault(465)
    void fault465_secondDataSourceInTransactionIsReported() throws Exception {
        TransactionalJvm other = jvm();
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> inTransaction(() -> {
            other.execute("INSERT INTO pess_work VALUES (2, 0)");
            return a.locks.lock("n").acquire();
        })).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'n'", "jdbc.transactions=xa", "quarkus.lock.jpa.strategy=lease")
                .hasMessageNotContaining("operation-timeout");
        assertThat(free(a, "n")).isTrue();
    }

    // --- what it sees

    @Test
    @Fault(178)
    void fault178_implicitCommitFailsWhileNextHolderHasLock() throws Exception {
        for (TransactionIsolation isolation : ISOLATIONS) {
            besideTheNextHolder(isolation, statementThatCommits(), true);
        }
    }

    @Test
    @Fault(178)
    void fault178_implicitCommitFailsAfterNextHolderCommitted() throws Exception {
        for (TransactionIsolation isolation : ISOLATIONS) {
            besideTheNextHolder(isolation, statementThatCommits(), false);
        }
    }

    /** At SERIALIZABLE, a plain read may wait for the next holder until the connection is cut. */
    @Test
    @Fault(178)
    void fault178_rolledBackHolderDoesNotWaitForNextHolder() throws Exception {
        for (TransactionIsolation isolation : ISOLATIONS) {
            besideTheNextHolder(isolation, Optional.of("ROLLBACK TO SAVEPOINT mine"), true);
        }
    }

    private static final List<TransactionIsolation> ISOLATIONS = List.of(TransactionIsolation.READ_COMMITTED,
            TransactionIsolation.REPEATABLE_READ, TransactionIsolation.SERIALIZABLE);

    private void besideTheNextHolder(TransactionIsolation isolation, Optional<String> lets, boolean holds) throws Exception {
        Assumptions.assumeTrue(lets.isPresent(), "Nothing ends a transaction by itself here");
        TransactionalJvm a = jvm(isolation);
        TransactionalJvm b = jvm();
        var told = new CompletableFuture<Boolean>();
        TRANSACTIONS.begin();
        a.execute("SAVEPOINT mine");
        LockHandle hold = a.locks.lock("n").acquire();
        hold.onLost(() -> told.complete(true));
        a.execute(lets.get());
        a.execute("INSERT INTO pess_work VALUES (2, 0)");
        Transaction first = TRANSACTIONS.suspend();
        TRANSACTIONS.begin();
        assertThat(b.locks.lock("n").acquire().isValid()).isTrue();
        Transaction next = holds ? TRANSACTIONS.suspend() : null;
        if (!holds) {
            TRANSACTIONS.commit();
        }
        TRANSACTIONS.resume(first);
        assertThatThrownBy(TRANSACTIONS::commit).as("at %s", isolation)
                .hasStackTraceContaining(LockLostException.class.getName());
        assertThat(told).succeedsWithin(SOON);
        assertThat(hold.isValid()).isFalse();
        if (next != null) {
            TRANSACTIONS.resume(next);
            TRANSACTIONS.commit();
        }
        assertThat(rows()).isZero();
        assertThat(free(b, "n")).isTrue();
    }

    @Test
    @Fault(178)
    void fault178_lockIsRegainedAfterImplicitCommitIfFree() throws Exception {
        Assumptions.assumeTrue(statementThatCommits().isPresent(), "Nothing ends a transaction by itself here");
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        var afterTheLook = new ArrayList<Boolean>();
        inTransaction(() -> {
            LockHandle hold = a.locks.lock("n").acquire();
            a.execute(statementThatCommits().get());
            interposed(() -> {
                interposed(() -> {
                    interposed(() -> afterTheLook.add(freeFromAnotherThread(b, "n")));
                    return true;
                });
                return true;
            });
            return hold;
        });
        assertThat(afterTheLook).containsExactly(false);
        assertThat(free(b, "n")).isTrue();
    }

    // --- where

    @Test
    @Fault(157)
    void fault157_lockSurvivesSchemaSwitch() throws Exception {
        for (String schema : List.of("tenant", "empty_tenant")) {
            TransactionalJvm a = jvm();
            inTransaction(() -> {
                a.execute("SAVEPOINT mine");
                LockHandle hold = a.locks.lock("n").acquire();
                a.execute("INSERT INTO pess_work VALUES (" + schema.length() + ", 0)");
                a.execute(goTo(schema));
                return hold;
            });
        }
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    @Fault(157)
    void fault157_lossIsReportedAfterSchemaSwitch() throws Exception {
        TransactionalJvm a = jvm();
        TRANSACTIONS.begin();
        a.execute("SAVEPOINT mine");
        LockHandle hold = a.locks.lock("n").acquire();
        a.execute("ROLLBACK TO SAVEPOINT mine");
        a.execute("INSERT INTO pess_work VALUES (2, 0)");
        a.execute(goTo("tenant"));
        assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining(LockLostException.class.getName());
        assertThat(hold.isValid()).isFalse();
        assertThat(rows()).isZero();
    }

    @Test
    @Fault(157)
    void fault157_roleWithoutRightsIsExplained() throws Exception {
        Assumptions.assumeTrue(takeRole().isPresent(), "No role is another's here");
        TransactionalJvm a = jvm();
        TRANSACTIONS.begin();
        a.execute("SAVEPOINT mine");
        LockHandle hold = a.locks.lock("n").acquire();
        a.execute("INSERT INTO pess_work VALUES (2, 0)");
        a.execute(takeRole().get());
        assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining(LockBackendException.class.getName())
                .hasStackTraceContaining("Lock 'n': its row could not be looked up").hasStackTraceContaining("SET ROLE")
                .satisfies(failure -> assertThat(failure.getCause()).hasMessageNotContaining("Flyway")
                        .hasMessageNotContaining("Grant"));
        assertThat(hold.name()).isEqualTo("n");
        assertThat(rows()).isZero();
        assertThat(free(a, "n")).isTrue();
    }
}
