package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.free;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import jakarta.transaction.Transaction;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** The contract of locks that live in transactions. Run on each database, one test at a time: they share a row of work. */
@ResourceLock("the row in pess_work")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class PessimisticContract {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    final String namespace = "pessimistic-" + UUID.randomUUID();
    private @Nullable Connection looking;

    abstract DatabaseServer server();

    boolean portable() {
        return false;
    }

    /** The weakest isolation in which everything that a transaction reads is as old as its first read. */
    TransactionIsolation oneSnapshot() {
        return TransactionIsolation.REPEATABLE_READ;
    }

    /** Where other JVMs reach the database. */
    String urlForOthers() throws SQLException {
        return server().url();
    }

    /** H2 reports an interrupt as the end of the wait; only the code for H2 can tell them apart. */
    private Class<?>[] interrupted() {
        return portable() ? new Class<?>[] { LockInterruptedException.class, LockBusyException.class }
                : new Class<?>[] { LockInterruptedException.class };
    }

    /** The query for a session's own number. */
    abstract String sessionQuery();

    /** Kills a session as an administrator would. */
    abstract String kill(String session);

    @BeforeEach
    void work() throws SQLException {
        execute("CREATE TABLE IF NOT EXISTS pess_work (id INT PRIMARY KEY, amount INT NOT NULL)");
        execute("DELETE FROM pess_work");
        execute("INSERT INTO pess_work VALUES (1, 0)");
    }

    @AfterEach
    void close() throws Exception {
        Thread.interrupted();
        if (TRANSACTIONS.getTransaction() != null) {
            TRANSACTIONS.rollback();
        }
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }

    private TransactionalJvm jvm() {
        TransactionalJvm jvm = new TransactionalJvm(server(), namespace, portable());
        closeables.push(jvm);
        return jvm;
    }

    TransactionalJvm jvm(int poolSize, Duration lease) {
        DatabaseServer server = server();
        TransactionalJvm jvm = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(), namespace,
                poolSize, lease, portable());
        closeables.push(jvm);
        return jvm;
    }

    /** A JVM whose transactions have this isolation. */
    TransactionalJvm jvm(TransactionIsolation isolation) {
        DatabaseServer server = server();
        TransactionalJvm jvm = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(), namespace,
                16, Duration.ofSeconds(30), portable(), isolation, server::connect);
        closeables.push(jvm);
        return jvm;
    }

    /** One per test, outside transactions. */
    private Connection looking() throws SQLException {
        if (looking == null) {
            looking = server().connect();
            closeables.push(looking);
        }
        return looking;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = looking().createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) throws SQLException {
        try (Statement statement = looking().createStatement(); var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(90, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    @FunctionalInterface
    private interface Work {

        void run() throws Exception;
    }

    /** A transaction on a separate thread that holds the lock. */
    private static final class Holder {

        final CountDownLatch holds = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        final CompletableFuture<LockHandle> done;

        Holder(TransactionalJvm jvm, String name) throws Exception {
            this(jvm, name, () -> {
            });
        }

        Holder(TransactionalJvm jvm, String name, Work work) throws Exception {
            done = start(() -> inTransaction(() -> {
                LockHandle hold = jvm.locks.lock(name).acquire();
                work.run();
                holds.countDown();
                assertThat(end.await(120, TimeUnit.SECONDS)).isTrue();
                return hold;
            }));
            CompletableFuture.anyOf(done, start(() -> holds.await(60, TimeUnit.SECONDS))).get(60, TimeUnit.SECONDS);
        }

        LockHandle commit() throws Exception {
            end.countDown();
            return get(done);
        }
    }

    // --- rule 1: only a confirmed caller holds it; rule 6: for as long as the transaction

    @Test
    void rule06_lockIsHeldUntilCommit() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        inTransaction(() -> {
            LockHandle hold = a.locks.lock("n").acquire();
            assertThat(hold.isValid()).isTrue();
            assertThat(get(start(() -> free(b, "n")))).isFalse();
            hold.close();
            assertThat(hold.isValid()).isFalse();
            assertThat(get(start(() -> free(b, "n")))).as("a closed handle does not free the transaction's lock").isFalse();
            assertThat(get(start(() -> free(a, "n")))).isFalse();
            return hold;
        });
        assertThat(free(b, "n")).isTrue();
        assertThat(free(a, "n")).isTrue();
        assertThat(a.engine.held()).isEmpty();
    }

    @Test
    void rule06_rollbackReleasesTheLock() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThatThrownBy(() -> inTransaction(() -> {
            try (LockHandle hold = a.locks.lock("n").acquire()) {
                throw new IllegalStateException("roll back");
            }
        })).hasMessage("roll back");
        assertThat(free(b, "n")).isTrue();
        assertThat(number("SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '" + namespace + "%'"))
                .as("its row was not rolled back").isEqualTo(1);
    }

    @Test
    void rule01_counterUnderLockIsExact() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            TransactionalJvm jvm = i % 2 == 0 ? a : b;
            all.add(start(() -> {
                for (int k = 0; k < 10; k++) {
                    jvm.locks.lock("counter").call(() -> {
                        int amount = Integer.parseInt(jvm.read("SELECT amount FROM pess_work WHERE id = 1"));
                        Thread.yield();
                        jvm.execute("UPDATE pess_work SET amount = " + (amount + 1) + " WHERE id = 1");
                        return amount;
                    });
                }
                return true;
            }));
        }
        for (var each : all) {
            get(each);
        }
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isEqualTo(40);
    }

    /** Increments the row of work this often, under a lock in the transaction of each step. */
    @FunctionalInterface
    interface Counter {

        CompletableFuture<Integer> count(int times);
    }

    /**
     * A counter in a stand-in for another JVM, which shares nothing but the database. On one database these are real processes.
     *
     * @param closeLater takes what must be closed after the test
     */
    Counter counter(Consumer<AutoCloseable> closeLater) throws SQLException {
        var jvm = new TransactionalJvm(server().kind(), urlForOthers(), server().user(), server().password(), namespace, 8,
                Duration.ofSeconds(30), portable());
        closeLater.accept(jvm);
        return times -> start(() -> jvm.count(times));
    }

    @Test
    @Fault(51)
    void fault51_counterIsExactAcrossFourJvms() throws Exception {
        List<Counter> jvms = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Counter jvm = counter(closeables::push);
            // Alone: on a busy machine, the first call may take as long as the operation timeout allows
            assertThat(jvm.count(1).get(60, TimeUnit.SECONDS)).isEqualTo(1);
            jvms.add(jvm);
        }
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (Counter jvm : jvms) {
            answers.add(jvm.count(25));
            answers.add(jvm.count(25));
        }
        for (var each : answers) {
            assertThat(each.get(150, TimeUnit.SECONDS)).isEqualTo(25);
        }
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isEqualTo(204);
    }

    // --- waits

    @Test
    @Fault(570)
    void fault570_waitMayBeAsLongAsACentury() throws Exception {
        TransactionalJvm a = jvm();
        assertThat(inTransaction(() -> a.locks.lock("n").tryAcquire(Duration.ofDays(36_500)).isPresent())).isTrue();
        inTransaction(() -> {
            a.execute("UPDATE pess_work SET amount = 0"); // it asks the database at once
            return assertThat(a.locks.lock("n").tryAcquire(Duration.ofDays(36_500))).isPresent();
        });
    }

    @Test
    void waitEndsWhenHolderCommits() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        CompletableFuture<Boolean> waiter = start(() -> inTransaction(() -> b.locks.lock("n").acquire().isValid()));
        CompletableFuture<Boolean> sameJvm = start(() -> inTransaction(() -> a.locks.lock("n").acquire().isValid()));
        Await.during("they wait", Duration.ofMillis(300), () -> !waiter.isDone() && !sameJvm.isDone());
        holder.commit();
        assertThat(get(waiter)).isTrue();
        assertThat(get(sameJvm)).isTrue();
    }

    @Test
    void expiredWaitLeavesTransactionIntact() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        for (TransactionalJvm jvm : List.of(a, b)) {
            long waited = inTransaction(() -> {
                jvm.execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1");
                long start = System.nanoTime();
                assertThat(jvm.locks.lock("n").tryAcquire(Duration.ofMillis(300))).isEmpty();
                long end = System.nanoTime();
                assertThat(jvm.locks.lock("n").tryAcquire(Duration.ZERO)).isEmpty();
                jvm.execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1");
                return end - start;
            });
            assertThat(Duration.ofNanos(waited)).isBetween(Duration.ofMillis(250), Duration.ofSeconds(15));
        }
        assertThatThrownBy(() -> inTransaction(() -> b.locks.lock("n",
                io.quarkiverse.lock.LockOptions.DEFAULTS.withWaitFor(Duration.ofMillis(100))).acquire()))
                .isInstanceOf(LockBusyException.class).hasMessageContaining("'n'");
        holder.commit();
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isEqualTo(4);
        assertThat(free(b, "n")).isTrue();
    }

    @Test
    void expiredWaitLeavesFreshTransactionUsable() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        for (Duration wait : List.of(Duration.ofMillis(100), Duration.ZERO)) {
            inTransaction(() -> {
                assertThat(b.locks.lock("n").tryAcquire(wait)).isEmpty();
                assertThat(b.locks.lock("n").tryAcquire(wait)).isEmpty();
                b.locks.lock("other").acquire();
                b.execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1");
                assertThat(b.locks.lock("n").tryAcquire(wait)).isEmpty();
                assertThat(get(start(() -> free(a, "other")))).as("with the lock taken since").isFalse();
                return true;
            });
            assertThatThrownBy(() -> inTransaction(() -> {
                assertThat(b.locks.lock("n").tryAcquire(wait)).isEmpty();
                b.execute("UPDATE pess_work SET amount = amount + 10 WHERE id = 1");
                throw new IllegalStateException("roll back");
            })).hasMessage("roll back");
        }
        holder.commit();
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isEqualTo(2);
        assertThat(free(b, "n")).isTrue();
    }

    @Test
    void rule09_interruptedWaiterLeavesNothing() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Boolean> waiter = start(() -> inTransaction(() -> {
            thread.complete(Thread.currentThread());
            assertThatThrownBy(() -> b.locks.lock("n").acquire()).isInstanceOfAny(interrupted());
            return Thread.interrupted() || portable();
        }));
        Await.during("it waits", Duration.ofMillis(300), () -> !waiter.isDone());
        long start = System.nanoTime();
        get(thread).interrupt();
        assertThat(get(waiter)).as("the flag is set").isTrue();
        if (!portable()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(12));
        }
        holder.commit();
        assertThat(free(a, "n")).isTrue();
        assertThat(free(b, "n")).isTrue();
        assertThat(b.engine.held()).isEmpty();
    }

    // --- rule 3, 4: tokens

    @Test
    void rule04_laterHoldsHaveGreaterTokensDespiteRollbacks() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        AtomicLong last = new AtomicLong();
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (TransactionalJvm jvm : List.of(a, b, a, b)) {
            all.add(start(() -> {
                for (int i = 0; i < 15; i++) {
                    boolean back = i % 3 == 0;
                    TRANSACTIONS.begin();
                    try {
                        long token = jvm.locks.lock("n").acquire().fencingToken();
                        assertThat(token).isGreaterThan(last.getAndSet(token));
                    } finally {
                        if (back) {
                            TRANSACTIONS.rollback();
                        } else {
                            TRANSACTIONS.commit();
                        }
                    }
                }
                return true;
            }));
        }
        for (var each : all) {
            get(each);
        }
    }

    /** The waiter sends its statement before the hold ahead of it, which is rolled back, gets its token. */
    @Test
    @Fault(132)
    void fault132_waiterBehindRolledBackHoldGetsGreaterToken() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThat(free(a, "n")).isTrue();
        AtomicReference<CompletableFuture<Long>> waiter = new AtomicReference<>();
        long rolledBack;
        TRANSACTIONS.begin();
        try {
            a.execute("UPDATE quarkus_lock SET since = since"); // the row is locked, with no token yet
            waiter.set(start(() -> inTransaction(() -> b.locks.lock("n").acquire().fencingToken())));
            Await.during("it waits", Duration.ofMillis(300), () -> !waiter.get().isDone());
            rolledBack = a.locks.lock("n").acquire().fencingToken();
        } finally {
            TRANSACTIONS.rollback();
        }
        assertThat(get(waiter.get())).isGreaterThan(rolledBack);
    }

    @Test
    void rule03_handleEndsOnlyItsOwnHold() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        LockHandle old = inTransaction(() -> a.locks.lock("n").acquire());
        assertThat(old.isValid()).as("the transaction has ended").isFalse();
        Holder holder = new Holder(a, "n");
        old.close();
        old.release().await().atMost(SOON);
        old.close();
        assertThat(a.engine.held()).hasSize(1);
        assertThat(free(b, "n")).isFalse();
        assertThat(get(start(() -> free(a, "n")))).isFalse();
        LockHandle current = holder.commit();
        assertThat(current.isValid()).isFalse();
        assertThat(current.fencingToken()).isGreaterThan(old.fencingToken());
        assertThat(free(b, "n")).isTrue();
    }

    @Test
    @Fault(130)
    void fault130_downgradeIsRejectedNamingLeaseStrategy() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        inTransaction(() -> {
            LockHandle hold = a.locks.lock("n").acquire();
            assertThatThrownBy(hold::downgrade).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'n'").hasMessageContaining("quarkus.lock.jpa.strategy=lease")
                    .hasMessageNotContaining("SHARED");
            assertThat(hold.isValid()).isTrue();
            assertThat(get(start(() -> free(b, "n")))).isFalse();
            return null;
        });
        assertThat(free(b, "n")).isTrue();
    }

    // --- re-entrancy

    @Test
    void rule07_lockIsReentrantWithinTransaction() throws Exception {
        TransactionalJvm a = jvm();
        inTransaction(() -> {
            long token = a.locks.lock("n").acquire().fencingToken();
            assertThat(a.locks.lock("n").acquire().fencingToken()).isEqualTo(token);
            assertThat(a.locks.lock("n").<Long> call(() -> a.locks.lock("n").acquire().fencingToken())).isEqualTo(token);
            return token;
        });
        assertThat(a.engine.held()).isEmpty();
    }

    @Test
    void suspendedTransactionOfSameThreadIsNotAwaited() throws Exception {
        TransactionalJvm a = jvm();
        inTransaction(() -> {
            a.locks.lock("n").acquire();
            Transaction outer = TRANSACTIONS.suspend();
            try {
                assertThatThrownBy(() -> inTransaction(() -> a.locks.lock("n").acquire()))
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("REQUIRES_NEW");
            } finally {
                TRANSACTIONS.resume(outer);
            }
            return true;
        });
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    void selfDeadlockAcrossConnectionsTimesOut() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        inTransaction(() -> {
            a.locks.lock("n").acquire();
            Transaction outer = TRANSACTIONS.suspend();
            try {
                assertThatThrownBy(() -> inTransaction(() -> b.locks.lock("n",
                        io.quarkiverse.lock.LockOptions.DEFAULTS.withWaitFor(Duration.ofMillis(400))).acquire()))
                        .isInstanceOf(LockBusyException.class).hasMessageContaining("a transaction of another");
            } finally {
                TRANSACTIONS.resume(outer);
            }
            return true;
        });
    }

    // --- without a transaction

    @Test
    void handleNeedsTransactionAndCallBeginsOne() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'").hasMessageContaining("call()");
        boolean busy = a.locks.lock("n").call(() -> !get(start(() -> free(b, "n"))));
        assertThat(busy).isTrue();
        assertThat(TRANSACTIONS.getTransaction()).isNull();
        assertThat(free(b, "n")).isTrue();
    }

    // --- rule 10

    @Test
    void rule10_bodyExceptionIsKeptAndWorkRolledBack() throws Exception {
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            a.execute("UPDATE pess_work SET amount = 7 WHERE id = 1");
            throw new java.io.IOException("mine");
        })).isInstanceOf(java.io.IOException.class).hasMessage("mine").hasNoSuppressedExceptions();
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    // --- rule 12

    @Test
    void rule12_holderMayFinishDuringShutdown() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        CompletableFuture<Boolean> waiter = start(() -> inTransaction(() -> a.locks.lock("n").acquire().isValid()));
        Await.during("it waits", Duration.ofMillis(200), () -> !waiter.isDone());
        assertThat(a.engine.drain(Duration.ZERO)).isFalse();
        assertThatThrownBy(() -> get(waiter)).isInstanceOf(IllegalStateException.class).hasMessageContaining("shutting down");
        assertThatThrownBy(() -> free(a, "other")).isInstanceOf(IllegalStateException.class);
        CompletableFuture<Boolean> drained = start(() -> a.engine.drain(Duration.ofSeconds(60)));
        holder.commit();
        assertThat(get(drained)).isTrue();
        a.engine.close();
        assertThat(free(b, "n")).isTrue();
    }

    // --- rule 14

    @Test
    void rule14_namesAreKeptApart() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        List<String> names = List.of("a", "A", "a ", " a", "ä", "a\u0308", "%", "_", "'", "\\", "{x}", "\uD83D\uDD12",
                "x".repeat(1024), "x".repeat(1023) + "y");
        inTransaction(() -> {
            for (String name : names) {
                a.locks.lock(name).acquire();
            }
            for (String name : names) {
                assertThat(get(start(() -> free(b, name)))).as(name).isFalse();
            }
            assertThat(get(start(() -> free(b, "b")))).isTrue();
            return true;
        });
    }

    // --- loss

    @Test
    @Fault(48)
    void fault48_killedConnectionIsNoticedWhileHolding() throws Exception {
        TransactionalJvm a = jvm(8, Duration.ofSeconds(2));
        TransactionalJvm b = jvm();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        TRANSACTIONS.begin();
        LockHandle hold = a.locks.lock("n").acquire();
        hold.onLost(() -> told.complete(true));
        execute(kill(a.read(sessionQuery())));
        assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(hold.isValid()).isFalse();
        assertThatThrownBy(TRANSACTIONS::commit).isInstanceOf(Exception.class);
        assertThat(free(b, "n")).isTrue();
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    @Fault(48)
    void fault48_lostConnectionIsNotReportedAsSuccess() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            execute(kill(a.read(sessionQuery())));
            Await.until("it is gone", SOON, () -> get(start(() -> free(b, "n"))));
            return "success";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'n'");
        assertThat(free(a, "n")).isTrue();
    }

    /** The database limits connections, for example. */
    @Test
    @Fault(414)
    void fault414_refusedConnectionsCostNoLock() throws Exception {
        DatabaseServer server = server();
        Duration lease = Duration.ofSeconds(portable() ? 8 : 2); // Hibernate waits for rows that it need not wait for
        try (var full = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(), namespace, 8,
                lease, portable(), TransactionIsolation.UNDEFINED, () -> {
                    throw new SQLException("not one more", "53300");
                })) {
            assertThat(full.locks.lock("n").<Boolean> call(() -> {
                LockHandle hold = full.locks.lock("n").acquire();
                Await.during("it is valid", lease.plusSeconds(2), hold::isValid);
                return true;
            })).isTrue();
            var told = new CompletableFuture<Boolean>();
            TRANSACTIONS.begin();
            full.locks.lock("n").acquire().onLost(() -> told.complete(true));
            execute(kill(full.read(sessionQuery())));
            assertThat(told.get(30, TimeUnit.SECONDS)).as("notified through the pool").isTrue();
            TRANSACTIONS.rollback();
        }
    }

    @Test
    @Fault(405)
    void fault405_holderThatLostItsSessionIsNotShown() throws Exception {
        TransactionalJvm a = jvm(8, Duration.ofSeconds(2));
        TransactionalJvm b = jvm();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        TRANSACTIONS.begin();
        a.locks.lock("n").acquire().onLost(() -> told.complete(true));
        execute(kill(a.read(sessionQuery())));
        assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(a.locks.inspect("n")).isEmpty();
        Holder holder = new Holder(b, "n");
        assertThat(a.locks.inspect("n")).hasValueSatisfying(info -> assertThat(info.holders()).singleElement()
                .satisfies(each -> assertThat(each.owner()).contains("another JVM")));
        holder.commit();
    }

    @Test
    @Fault(405)
    void fault405_bodyWithEndedTransactionIsNotShownAsHolder() throws Exception {
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            assertThat(a.locks.inspect("n")).isPresent();
            TRANSACTIONS.rollback();
            assertThat(a.locks.inspect("n")).isEmpty();
            return true;
        })).isInstanceOf(LockLostException.class);
    }

    @Test
    @Fault(406)
    void fault406_holdTimeContinuesAcrossChecks() throws Exception {
        DatabaseServer server = server();
        var checks = new CountDownLatch(2); // the first one is over when the second one begins
        Duration lease = Duration.ofSeconds(portable() ? 8 : 3); // there, each check waits for the row
        var jvm = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(), namespace, 8,
                lease, portable(), TransactionIsolation.UNDEFINED, () -> {
                    checks.countDown();
                    return server.connect();
                });
        closeables.push(jvm);
        TransactionalJvm other = jvm();
        var holder = new Holder(other, "n");
        CompletableFuture<Long> since = start(() -> inTransaction(() -> {
            jvm.locks.lock("n").acquire();
            long from = System.nanoTime();
            assertThat(checks.await(30, TimeUnit.SECONDS)).isTrue();
            long least = System.nanoTime() - from;
            Duration heldFor = heldFor(jvm);
            assertThat(heldFor).isGreaterThanOrEqualTo(Duration.ofNanos(least));
            return System.nanoTime() - heldFor.toNanos();
        }));
        Await.during("it waits", Duration.ofMillis(500), () -> !since.isDone());
        long freed = System.nanoTime();
        holder.commit();
        assertThat(get(since) - freed).as("the wait is not part of it").isNotNegative();
    }

    private static Duration heldFor(TransactionalJvm jvm) {
        return jvm.locks.inspect("n").orElseThrow().holders().get(0).heldFor();
    }

    @Test
    @Fault(404)
    void fault404_storeIsAvailableWhenHoldersExhaustPool() throws Exception {
        TransactionalJvm jvm = jvm(1, Duration.ofSeconds(30));
        inTransaction(() -> {
            LockHandle hold = jvm.locks.lock("n").acquire();
            jvm.backend.ready("probe").await().atMost(jvm.backend.operationTimeout());
            return hold;
        });
    }

    /** A setting that makes a session wait long enough for a row, if it does not do so anyway. */
    Optional<String> patience() {
        return Optional.empty();
    }

    /** Makes a database undo a transaction, which goes on without noticing. */
    interface Undoing extends AutoCloseable {

        /** Undoes all work of the current transaction; the caller catches what the database throws. */
        void undo(TransactionalJvm jvm) throws Exception;

        @Override
        void close() throws SQLException;
    }

    /** Uses a deadlock: the victim is the side that did less or began later. Create it before the transaction begins. */
    Undoing undoing() throws SQLException {
        Connection other = server().connect();
        Statement statement = other.createStatement();
        if (patience().isPresent()) {
            statement.execute(patience().get());
        }
        other.setAutoCommit(false);
        for (int id = 100; id < 150; id++) {
            statement.execute("INSERT INTO pess_work VALUES (" + id + ", 0)");
        }
        statement.execute("UPDATE pess_work SET amount = 8 WHERE id = 3");
        return new Undoing() {

            @Override
            public void undo(TransactionalJvm jvm) throws Exception {
                if (patience().isPresent()) {
                    jvm.execute(patience().get());
                }
                jvm.execute("UPDATE pess_work SET amount = 7 WHERE id = 1");
                CompletableFuture<Integer> waiting = start(
                        () -> statement.executeUpdate("UPDATE pess_work SET amount = 8 WHERE id = 1"));
                assertThatThrownBy(() -> jvm.execute("UPDATE pess_work SET amount = 7 WHERE id = 3"))
                        .isInstanceOf(SQLException.class);
                get(waiting);
                other.rollback();
            }

            @Override
            public void close() throws SQLException {
                other.close();
            }
        };
    }

    /** PostgreSQL executes nothing more in a failed transaction. */
    private static void insertIfPossible(TransactionalJvm jvm, int id) {
        try {
            jvm.execute("INSERT INTO pess_work VALUES (" + id + ", 0)");
        } catch (SQLException e) {
            // and says so
        }
    }

    @Test
    @Fault(153)
    void fault153_workAfterDatabaseRollbackIsNotCommitted() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThat(free(a, "n")).isTrue();
        execute("INSERT INTO pess_work VALUES (3, 0)");
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        try (Undoing database = undoing()) {
            TRANSACTIONS.begin();
            a.locks.lock("another").acquire().close();
            LockHandle hold = a.locks.lock("n").acquire();
            hold.onLost(() -> told.complete(true));
            database.undo(a);
            assertThat(get(start(() -> free(b, "n")))).as("others can have it").isTrue();
            insertIfPossible(a, 2);
            assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining("LockLostException");
            assertThat(hold.isValid()).isFalse();
        }
        assertThat(told).succeedsWithin(SOON);
        assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    @Fault(153)
    void fault153_callWithUndoneTransactionFails() throws Exception {
        TransactionalJvm a = jvm();
        execute("INSERT INTO pess_work VALUES (3, 0)");
        try (Undoing database = undoing()) {
            assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
                database.undo(a);
                insertIfPossible(a, 2);
                return "success";
            })).isInstanceOf(LockLostException.class).hasMessageContaining("'n'").hasMessageContaining("caught");
        }
        assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    /** As the clock is behind, the next holder writes the same fence as the undone one. */
    @Test
    @Fault(153)
    void fault153_nextHolderIsNotMistakenForUndoneHolder() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThat(free(a, "n")).isTrue();
        execute("UPDATE quarkus_lock SET fence = fence + 86400000000 WHERE name LIKE '" + namespace + "%'");
        execute("INSERT INTO pess_work VALUES (3, 0)");
        try (Undoing database = undoing()) {
            TRANSACTIONS.begin();
            LockHandle hold = a.locks.lock("n").acquire();
            database.undo(a);
            long next = get(start(() -> inTransaction(() -> b.locks.lock("n").acquire().fencingToken())));
            assertThat(next).as("the same token").isEqualTo(hold.fencingToken());
            insertIfPossible(a, 2);
            assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining("LockLostException");
        }
        assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isZero();
    }

    /** The handle has ended, but the lock belongs to the transaction. */
    @Test
    @Fault(153)
    void fault153_earlierClosedHandleDoesNotHideLoss() throws Exception {
        TransactionalJvm a = jvm();
        execute("INSERT INTO pess_work VALUES (3, 0)");
        try (Undoing database = undoing()) {
            TRANSACTIONS.begin();
            a.locks.lock("n").acquire().close();
            database.undo(a);
            insertIfPossible(a, 2);
            assertThatThrownBy(TRANSACTIONS::commit).hasStackTraceContaining("LockLostException");
        }
        assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    /** The rollback undoes the lock as well; some databases also release the row, others do not. */
    @Test
    @Fault(153)
    void fault153_rollbackToEarlierSavepointLosesLock() throws Exception {
        TransactionalJvm a = jvm(TransactionIsolation.READ_COMMITTED); // no database refuses a wait after a first read there
        TransactionalJvm b = jvm();
        Holder holder = new Holder(b, "contended");
        for (String name : List.of("n", "contended")) {
            TRANSACTIONS.begin();
            LockHandle before = a.locks.lock("before").acquire();
            a.execute("SAVEPOINT mine");
            if (name.equals("contended")) {
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(holder.end::countDown);
            }
            LockHandle hold = a.locks.lock(name).acquire();
            a.execute("ROLLBACK TO SAVEPOINT mine");
            a.execute("INSERT INTO pess_work VALUES (2, 0)");
            assertThat(before.isValid()).isTrue();
            assertThatThrownBy(TRANSACTIONS::commit).as(name).hasStackTraceContaining("LockLostException")
                    .hasStackTraceContaining("savepoint");
            assertThat(hold.isValid()).isFalse();
            assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isZero();
            assertThat(free(a, name)).isTrue();
        }
        holder.commit();
    }

    @Test
    @Fault(153)
    void fault153_rollbackThatSparesLockLosesNothing() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        inTransaction(() -> {
            LockHandle first = a.locks.lock("first").acquire();
            a.execute("SAVEPOINT released");
            LockHandle second = a.locks.lock("second").acquire();
            a.execute("RELEASE SAVEPOINT released");
            a.execute("SAVEPOINT kept");
            LockHandle third = a.locks.lock("third").acquire();
            a.execute("SAVEPOINT mine");
            assertThatThrownBy(() -> a.execute("INSERT INTO pess_work VALUES (1, 0)")).isInstanceOf(SQLException.class);
            a.execute("ROLLBACK TO SAVEPOINT mine");
            for (LockHandle each : List.of(first, second, third)) {
                assertThat(each.isValid()).isTrue();
            }
            if (!portable()) { // after the holder has rolled back to a savepoint, H2 waits for the row forever
                for (String name : List.of("first", "second", "third")) {
                    assertThat(get(start(() -> free(b, name)))).as(name).isFalse();
                }
            }
            a.execute("INSERT INTO pess_work VALUES (2, 0)");
            return true;
        });
        assertThat(number("SELECT COUNT(*) FROM pess_work WHERE id = 2")).isEqualTo(1);
    }

    /** Its work was done under a lock that others could already have held. */
    @Test
    @Fault(48)
    void fault48_innerTransactionFailsAfterOuterLosesLock() throws Exception {
        insideOneThatHasLostItsLock((jvm, body) -> jvm.locks.lock("n").call(body));
    }

    @Test
    @Fault(317)
    void fault317_innerTransactionWithHandleFailsAfterOuterLosesLock() throws Exception {
        insideOneThatHasLostItsLock((jvm, body) -> {
            try (LockHandle hold = jvm.locks.lock("n").acquire()) {
                return hold.isValid() && body.call();
            }
        });
    }

    @FunctionalInterface
    private interface UnderTheLock {

        boolean run(TransactionalJvm jvm, Callable<Boolean> body) throws Exception;
    }

    private void insideOneThatHasLostItsLock(UnderTheLock inner) throws Exception {
        TransactionalJvm a = jvm(8, Duration.ofSeconds(2));
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            String session = a.read(sessionQuery());
            a.locks.lock("n").acquire().onLost(() -> told.complete(true));
            Transaction outer = TRANSACTIONS.suspend();
            try {
                assertThatThrownBy(() -> inTransaction(() -> inner.run(a, () -> {
                    a.execute("UPDATE pess_work SET amount = 7 WHERE id = 1");
                    execute(kill(session));
                    return told.get(60, TimeUnit.SECONDS);
                }))).hasStackTraceContaining("LockLostException");
            } finally {
                TRANSACTIONS.resume(outer);
            }
            return true;
        })).isInstanceOf(LockLostException.class);
        assertThat(told).isCompleted();
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isZero();
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    void longHeldLockIsNotReportedLost() throws Exception {
        // Without knowing its version, Hibernate takes 2 s on H2 to find a row busy
        Duration lease = Duration.ofSeconds(portable() ? 9 : 6);
        TransactionalJvm a = jvm(8, lease);
        inTransaction(() -> {
            LockHandle hold = a.locks.lock("n").acquire();
            Await.during("it is valid", lease.plusSeconds(2), hold::isValid);
            return hold;
        });
    }

    @Test
    void transactionTimeoutLosesTheLock() throws Exception {
        TransactionalJvm a = jvm();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        TRANSACTIONS.setTransactionTimeout(1);
        try {
            assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
                a.locks.lock("n").acquire().onLost(() -> told.complete(true));
                return told.get(60, TimeUnit.SECONDS);
            })).isInstanceOf(LockLostException.class).hasMessageContaining("rolled back");
        } finally {
            TRANSACTIONS.setTransactionTimeout(0);
        }
        assertThat(TRANSACTIONS.getTransaction()).isNull();
        Await.until("it is free", SOON, () -> free(a, "n"));
    }

    @Test
    void rollbackOnlyTransactionFails() throws Exception {
        TransactionalJvm a = jvm();
        assertThatThrownBy(() -> a.locks.lock("n").call(() -> {
            TRANSACTIONS.setRollbackOnly();
            return "success";
        })).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> inTransaction(() -> {
            TRANSACTIONS.setRollbackOnly();
            return a.locks.lock("n").acquire();
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("rolled back");
        assertThat(free(a, "n")).isTrue();
    }

    @Test
    @Fault(571)
    void fault571_rollbackOnlyTransactionIsRefusedWithoutAWait() throws Exception {
        TransactionalJvm a = jvm();
        Holder holder = new Holder(a, "n");
        assertThatThrownBy(() -> inTransaction(() -> {
            TRANSACTIONS.setRollbackOnly();
            return a.locks.lock("n").tryAcquire(Duration.ofMillis(100)); // which is not over before it is refused
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("'n'").hasMessageContaining("rolled back");
        holder.commit();
    }

    @Test
    void deadlockIsExplained() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        CyclicBarrier both = new CyclicBarrier(2);
        Callable<Boolean> ab = () -> inTransaction(() -> {
            a.locks.lock("1").acquire();
            both.await(60, TimeUnit.SECONDS);
            return a.locks.lock("2").acquire().isValid();
        });
        Callable<Boolean> ba = () -> inTransaction(() -> {
            b.locks.lock("2").acquire();
            both.await(60, TimeUnit.SECONDS);
            return b.locks.lock("1").acquire().isValid();
        });
        List<CompletableFuture<Boolean>> running = List.of(start(ab), start(ba));
        List<Exception> failures = new ArrayList<>();
        for (var each : running) {
            try {
                get(each);
            } catch (Exception e) {
                failures.add(e);
            }
        }
        assertThat(failures).singleElement().isInstanceOf(LockBackendException.class)
                .asString().contains("because of a deadlock");
    }

    // --- rows

    @Test
    @Fault(54)
    void fault54_newNameMayBeLockedConcurrently() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        for (int round = 0; round < 5; round++) {
            String name = "fresh-" + round;
            CyclicBarrier together = new CyclicBarrier(6);
            List<CompletableFuture<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                TransactionalJvm jvm = i % 2 == 0 ? a : b;
                all.add(start(() -> {
                    together.await(60, TimeUnit.SECONDS);
                    return inTransaction(() -> jvm.locks.lock(name).acquire().isValid());
                }));
            }
            for (var each : all) {
                assertThat(get(each)).isTrue();
            }
        }
    }

    @Test
    void deletedRowIsRecreated() throws Exception {
        TransactionalJvm a = jvm();
        assertThat(free(a, "n")).isTrue();
        execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
        assertThat(free(a, "n")).isTrue();
    }

    /** Some databases keep others, and so this JVM too, from inserting a row that a transaction looked for in vain. */
    @Test
    @Fault(111)
    void fault111_deletedRowDelaysNobody() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        for (String before : List.of("", "SELECT amount FROM pess_work WHERE id = 1",
                "UPDATE pess_work SET amount = amount + 1 WHERE id = 1")) {
            assertThat(free(a, "n")).isTrue();
            execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
            inTransaction(() -> {
                if (!before.isEmpty()) {
                    a.execute(before);
                }
                assertThat(a.locks.lock("n").acquire().isValid()).as("after '%s'", before).isTrue();
                assertThat(get(start(() -> free(b, "other")))).as("nobody else has to wait").isTrue();
                return true;
            });
            assertThat(free(b, "n")).isTrue();
        }
    }

    // --- what a transaction sees

    private String amount(TransactionalJvm jvm) throws SQLException {
        return jvm.read("SELECT amount FROM pess_work WHERE id = 1");
    }

    private Holder holderThatWrites(TransactionalJvm jvm, String name) throws Exception {
        return new Holder(jvm, name, () -> jvm.execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1"));
    }

    @Test
    @Fault(103)
    void fault103_everyHolderWritesItsRow() throws Exception {
        TransactionalJvm a = jvm();
        long last = 0;
        for (Duration wait : List.of(Duration.ofSeconds(1), Duration.ZERO)) {
            for (String before : List.of("", "SELECT amount FROM pess_work WHERE id = 1")) {
                long token = inTransaction(() -> {
                    if (!before.isEmpty()) {
                        a.read(before);
                    }
                    return a.locks.lock("n").tryAcquire(wait).orElseThrow().fencingToken();
                });
                assertThat(number("SELECT fence FROM quarkus_lock WHERE name LIKE '" + namespace + "%'"))
                        .isEqualTo(token / 1024);
                assertThat(token).as("waiting for %s after '%s'", wait, before).isGreaterThan(last);
                last = token;
            }
        }
    }

    @Test
    @Fault(103)
    void fault103_lockingFirstSeesPreviousHoldersWork() throws Exception {
        TransactionalJvm a = jvm(oneSnapshot());
        TransactionalJvm b = jvm(oneSnapshot());
        Holder holder = holderThatWrites(a, "n");
        CompletableFuture<String> waiter = start(() -> inTransaction(() -> {
            b.locks.lock("n").acquire();
            return amount(b);
        }));
        CompletableFuture<String> sameJvm = start(() -> inTransaction(() -> {
            a.locks.lock("n").acquire();
            return amount(a);
        }));
        Await.during("they wait", Duration.ofMillis(300), () -> !waiter.isDone() && !sameJvm.isDone());
        holder.commit();
        assertThat(get(waiter)).isEqualTo("1");
        assertThat(get(sameJvm)).isEqualTo("1");
    }

    @Test
    @Fault(103)
    void fault103_earlierReadIsRejectedIfLockWasHeldSince() throws Exception {
        TransactionalJvm a = jvm(oneSnapshot());
        TransactionalJvm b = jvm(oneSnapshot());
        assertThat(free(a, "n")).isTrue();
        Holder holder = holderThatWrites(a, "n");
        CountDownLatch read = new CountDownLatch(1);
        CompletableFuture<Boolean> waiter = start(() -> inTransaction(() -> {
            amount(b);
            read.countDown();
            return b.locks.lock("n").acquire().isValid();
        }));
        assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
        Await.during("it waits", Duration.ofMillis(300), () -> !waiter.isDone());
        holder.commit();
        isRefused(() -> get(waiter));
        for (Duration wait : List.of(Duration.ofSeconds(1), Duration.ZERO)) {
            isRefused(() -> inTransaction(() -> {
                amount(b);
                holderThatWrites(a, "n").commit();
                return b.locks.lock("n").tryAcquire(wait).isPresent();
            }));
        }
        assertThat(free(b, "n")).isTrue();
    }

    /** H2 has one error for this and for a deadlock; only the code for H2 tells them apart. */
    private void isRefused(Callable<?> call) {
        assertThatThrownBy(call::call).isInstanceOf(LockBackendException.class).hasMessageContainingAll("'n'",
                portable() ? "has rolled back its transaction" : "before others held the lock", "try the whole call again");
    }

    @Test
    @Fault(103)
    void fault103_rejectedTransactionCommitsNothing() throws Exception {
        TransactionalJvm a = jvm(oneSnapshot());
        TransactionalJvm b = jvm(oneSnapshot());
        assertThat(free(a, "n")).isTrue();
        assertThatThrownBy(() -> inTransaction(() -> {
            b.execute("INSERT INTO pess_work VALUES (2, 0)");
            amount(b);
            holderThatWrites(a, "n").commit();
            isRefused(() -> b.locks.lock("n").acquire());
            return true;
        })).isInstanceOf(Exception.class);
        assertThat(number("SELECT COUNT(*) FROM pess_work")).isEqualTo(1);
    }

    @Test
    @Fault(103)
    void fault103_earlierReadIsAcceptedWithoutHolderSince() throws Exception {
        TransactionalJvm a = jvm(oneSnapshot());
        TransactionalJvm b = jvm(oneSnapshot());
        assertThat(free(a, "n")).isTrue();
        inTransaction(() -> {
            amount(b);
            execute("UPDATE pess_work SET amount = amount + 1 WHERE id = 1");
            assertThat(b.locks.lock("n").acquire().isValid()).isTrue();
            return amount(b);
        });
        TransactionalJvm c = jvm(TransactionIsolation.READ_COMMITTED);
        inTransaction(() -> {
            amount(c);
            holderThatWrites(a, "n").commit();
            assertThat(c.locks.lock("n").tryAcquire(Duration.ZERO)).isPresent();
            return assertThat(amount(c)).isEqualTo("2");
        });
    }

    // --- cycles in one JVM

    @Test
    @Fault(110)
    void fault110_databaseDetectsDeadlockOfTwoLocks() throws Exception {
        TransactionalJvm a = jvm();
        CyclicBarrier both = new CyclicBarrier(2);
        oneIsUndone(start(() -> inTransaction(() -> {
            a.locks.lock("1").acquire();
            both.await(60, TimeUnit.SECONDS);
            return a.locks.lock("2").acquire().isValid();
        })), start(() -> inTransaction(() -> {
            a.locks.lock("2").acquire();
            both.await(60, TimeUnit.SECONDS);
            return a.locks.lock("1").acquire().isValid();
        })));
        assertThat(a.engine.held()).isEmpty();
    }

    @Test
    @Fault(110)
    void fault110_databaseDetectsDeadlockOfLockAndRow() throws Exception {
        TransactionalJvm a = jvm();
        CyclicBarrier both = new CyclicBarrier(2);
        String row = "UPDATE pess_work SET amount = amount + 1 WHERE id = 1";
        oneIsUndone(start(() -> inTransaction(() -> {
            a.locks.lock("1").acquire();
            both.await(60, TimeUnit.SECONDS);
            a.execute(row);
            return true;
        })), start(() -> inTransaction(() -> {
            a.execute(row);
            both.await(60, TimeUnit.SECONDS);
            return a.locks.lock("1").acquire().isValid();
        })));
        assertThat(a.engine.held()).isEmpty();
    }

    /** The other one proceeds before either wait is over. */
    private void oneIsUndone(CompletableFuture<Boolean> one, CompletableFuture<Boolean> other) {
        int undone = 0;
        for (var each : List.of(one, other)) {
            try {
                assertThat(get(each)).isTrue();
            } catch (Exception e) {
                undone++;
                assertThat(e).as("detected, not timed out").isNotInstanceOf(LockBusyException.class);
            }
        }
        assertThat(undone).isEqualTo(1);
    }

    @Test
    @Fault(110)
    void fault110_firstLockWaitsWithoutConnection() throws Exception {
        TransactionalJvm a = jvm(2, Duration.ofSeconds(30));
        Holder holder = new Holder(a, "n");
        List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(start(() -> inTransaction(() -> a.locks.lock("n").acquire().isValid())));
        }
        Await.during("a connection is left for others", Duration.ofSeconds(1), () -> {
            try (Connection left = a.pool.getConnection()) {
                return left.isValid(0) && waiters.stream().noneMatch(CompletableFuture::isDone);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        holder.commit();
        for (var each : waiters) {
            assertThat(get(each)).isTrue();
        }
    }

    @Test
    void suspendedTransactionWithWorkIsNotAwaited() throws Exception {
        TransactionalJvm a = jvm();
        inTransaction(() -> {
            amount(a);
            a.locks.lock("n").acquire();
            Transaction outer = TRANSACTIONS.suspend();
            try {
                assertThatThrownBy(() -> inTransaction(() -> a.locks.lock("n").acquire()))
                        .isInstanceOf(IllegalStateException.class).hasMessageContaining("REQUIRES_NEW");
            } finally {
                TRANSACTIONS.resume(outer);
            }
            return true;
        });
        assertThat(free(a, "n")).isTrue();
    }

    // --- the end of a wait

    @Test
    @Fault(109)
    void fault109_expiredWaitIsBusyAndNoDeadlock() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        Holder holder = new Holder(a, "n");
        for (String before : List.of("", "UPDATE pess_work SET amount = amount + 1 WHERE id = 1")) {
            inTransaction(() -> {
                if (!before.isEmpty()) {
                    b.execute(before);
                }
                for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(100))) {
                    assertThat(b.locks.lock("n").tryAcquire(wait)).isEmpty();
                }
                return true;
            });
        }
        holder.commit();
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).as("with all its work").isEqualTo(1);
    }

    // --- the purge

    /** Otherwise a caller would find one of the other names busy, though nobody holds it. */
    @Test
    @Fault(323)
    void fault323_heldNameDoesNotBlockPurgeOfIdleRows() throws Exception {
        TransactionalJvm a = jvm();
        for (int i = 0; i < 10; i++) {
            assertThat(free(a, "idle-" + i)).isTrue();
        }
        String rows = "SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '" + namespace + "%'";
        Holder holder = new Holder(a, "idle-5");
        LockDatabase database = a.database;
        var purge = new Purge(database.steps(), database.statements(), database.workers(), Duration.ZERO, () -> {
            throw new IllegalStateException("not started");
        });
        Await.until("all but one are deleted", SOON, () -> {
            purge.purge(1); // more than the clock may lag behind the fences
            return number(rows) == 1;
        });
        holder.commit();
        assertThat(free(a, "idle-5")).isTrue();
    }

    // --- inspecting

    /** A check of sessions or rows that reaches another server says nothing about those of this one. */
    void assertOtherServerReportsNoLoss(DatabaseServer other) throws Exception {
        DatabaseServer server = server();
        Duration lease = Duration.ofSeconds(6);
        try (TransactionalJvm balanced = new TransactionalJvm(server.kind(), server.url(), server.user(), server.password(),
                namespace, 8, lease, portable(), TransactionIsolation.UNDEFINED, other::connect)) {
            inTransaction(() -> {
                LockHandle hold = balanced.locks.lock("n").acquire();
                Await.during("it is valid", lease.plusSeconds(2), hold::isValid);
                return hold;
            });
        }
    }

    @Test
    @Fault(112)
    void fault112_inspectionNeverMakesLockBusy() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThat(free(a, "n")).isTrue();
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Integer> looking = start(() -> {
            int looks = 0;
            while (!enough.get()) {
                b.locks.inspect("n");
                looks++;
            }
            return looks;
        });
        try {
            for (int i = 0; i < 300; i++) {
                assertThat(free(a, "n")).isTrue();
            }
        } finally {
            enough.set(true);
        }
        assertThat(get(looking)).isPositive();
    }

    @Test
    void exhaustedPoolIsExplained() throws Exception {
        TransactionalJvm a = jvm(1, Duration.ofSeconds(30));
        assertThatThrownBy(() -> inTransaction(() -> {
            a.execute("UPDATE pess_work SET amount = 1 WHERE id = 1");
            return a.locks.lock("new").acquire();
        })).isInstanceOf(LockBackendException.class).hasMessageContaining("jdbc.max-size");
    }

    @Test
    @Fault(568)
    void fault568_holderIsFoundFromAPoolAtReadUncommitted() throws Exception {
        TransactionalJvm a = jvm(TransactionIsolation.READ_UNCOMMITTED);
        TransactionalJvm b = jvm(TransactionIsolation.READ_UNCOMMITTED);
        Holder holder = new Holder(a, "n");
        assertThat(b.locks.inspect("n")).isPresent();
        for (TransactionalJvm jvm : List.of(a, b)) {
            assertThat(jvm.locks.list(LockQuery.ALL).locks()).extracting(LockInfo::name).containsExactly("n");
        }
        holder.commit();
        assertThat(b.locks.inspect("n")).isEmpty();
        for (TransactionalJvm jvm : List.of(a, b)) {
            assertThat(jvm.locks.list(LockQuery.ALL).locks()).isEmpty();
        }
    }

    @Test
    void inspectShowsLocalAndRemoteHolders() throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        assertThat(a.locks.inspect("n")).isEmpty();
        Holder holder = new Holder(a, "n");
        assertThat(a.locks.inspect("n").orElseThrow().holders()).singleElement()
                .satisfies(here -> assertThat(here.owner()).isEqualTo("test"));
        assertThat(b.locks.inspect("n").orElseThrow().holders()).hasSize(1);
        assertThatThrownBy(() -> b.locks.forceRelease("n")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> b.locks.requestRelease("n")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'").hasMessageContaining("quarkus.lock.jpa.strategy");
        assertThatThrownBy(() -> b.locks.requestRelease("n\nm")).hasMessageContaining("'n\\nm'");
        holder.commit();
        assertThat(a.locks.inspect("n")).isEmpty();
        assertThat(b.locks.inspect("n")).isEmpty();
    }
}
