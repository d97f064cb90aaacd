package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import jakarta.transaction.Transaction;

import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalPoolInterceptor;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.PgDriver;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.ListContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.process.ChildJvm;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link PessimisticContract} on this database. */
class PostgresPessimisticTest extends PessimisticContract implements ContractSubject {

    private static final String TIMEOUTS = "SELECT current_setting('lock_timeout') || ' ' || current_setting('statement_timeout')";

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
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
        return "SELECT pg_backend_pid()";
    }

    @Override
    String kill(String session) {
        return "SELECT pg_terminate_backend(" + session + ")";
    }

    /** In another JVM. */
    @Override
    Counter counter(Consumer<AutoCloseable> closeLater) {
        ChildJvm child = ChildJvm.start(PessimisticChild.class, server.kind(), server.url(), server.user(), server.password(),
                namespace);
        closeLater.accept(child);
        return times -> child.send(Integer.toString(times)).thenApply(Integer::valueOf);
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new PessimisticEnvironment(server);
    }

    /** A pooler may give the session to others meanwhile. */
    @Test
    @Fault(568)
    void fault568_holderIsFoundWithoutAChangeOfLevel() throws Exception {
        TransactionalJvm jvm = jvm(TransactionIsolation.REPEATABLE_READ);
        var calls = new CopyOnWriteArrayList<String>();
        SessionFactory sessions = Databases.sessions(server.kind());
        LockDatabase database = LockDatabase.of(noting(calls, DataSource.class, jvm.pool), sessions, null,
                JpaLockOptions.STANDARD);
        database.attach(this);
        try {
            var looking = new PessimisticLockBackend(database, sessions,
                    new JtaLockTransactions(TransactionalJvm.TRANSACTIONS, TransactionalJvm.REGISTRY), namespace, "looking");
            inTransaction(() -> {
                jvm.locks.lock("n").acquire();
                assertThat(looking.inspect("n").await().indefinitely()).isPresent();
                assertThat(looking.list(LockQuery.ALL).await().indefinitely().locks()).extracting(LockInfo::name)
                        .containsExactly("n");
                return true;
            });
            assertThat(calls).contains("prepareStatement").doesNotContain("setTransactionIsolation");
        } finally {
            database.detach(this);
        }
    }

    /** Notes the calls of what it passes on, and of its connections. */
    private static <T> T noting(List<String> calls, Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(PostgresPessimisticTest.class.getClassLoader(), new Class<?>[] { type },
                (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("unwrap") && arguments[0] == Connection.class) {
                        return proxy;
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Connection made ? noting(calls, Connection.class, made) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void applicationTimeoutIsKeptWhenRowWasPurged() throws Exception {
        try (var jvm = new TransactionalJvm(server, namespace, false)) {
            inTransaction(() -> jvm.locks.lock("purged").acquire());
            execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
            assertThat(TransactionalJvm.<String> inTransaction(() -> {
                jvm.execute("SET LOCAL lock_timeout = '1234ms'; SET LOCAL statement_timeout = '56789ms'");
                jvm.locks.lock("purged").tryAcquire(Duration.ofMillis(200)).orElseThrow();
                return jvm.read(TIMEOUTS);
            })).isEqualTo("1234ms 56789ms");
        }
    }

    @Test
    void applicationTimeoutIsKeptAfterAnyWait() throws Exception {
        try (var a = new TransactionalJvm(server, namespace, false);
                var b = new TransactionalJvm(server, namespace, false)) {
            for (String first : new String[] { "SELECT 1", "" }) {
                inTransaction(() -> {
                    Transaction outer = TransactionalJvm.TRANSACTIONS.getTransaction();
                    a.locks.lock("busy").acquire();
                    TransactionalJvm.TRANSACTIONS.suspend();
                    List<String> seen = inTransaction(() -> {
                        if (!first.isEmpty()) {
                            b.read(first);
                        }
                        assertThat(b.locks.lock("busy").tryAcquire(Duration.ofMillis(50))).isEmpty();
                        String after = b.read(TIMEOUTS);
                        b.locks.lock("free").tryAcquire(Duration.ofMillis(200)).orElseThrow();
                        return List.of(after, b.read(TIMEOUTS));
                    });
                    assertThat(seen).as("after '%s'", first).containsExactly("0 0", "0 0");
                    TransactionalJvm.TRANSACTIONS.resume(outer);
                    return true;
                });
            }
        }
    }

    /** A savepoint has its own transaction ID, which then is in the row. */
    @Test
    void savepointIsSetOnlyForWaits() throws Exception {
        String saved = "SELECT count(*) FROM quarkus_lock WHERE name LIKE '" + namespace + "%'"
                + " AND xmin::text <> pg_current_xact_id()::text";
        try (var jvm = new TransactionalJvm(server, namespace, false)) {
            for (Duration wait : List.of(Duration.ofSeconds(1), Duration.ZERO)) {
                for (String before : List.of("SELECT 1", "")) {
                    assertThat(TransactionalJvm.<String> inTransaction(() -> {
                        if (!before.isEmpty()) {
                            jvm.read(before);
                        }
                        jvm.locks.lock("free").tryAcquire(wait).orElseThrow();
                        return jvm.read(saved);
                    })).as("after '%s', waiting for %s", before, wait).isEqualTo("0");
                }
            }
        }
    }

    private static int waiting() throws SQLException {
        try (Connection connection = server.connect();
                var rows = connection.createStatement()
                        .executeQuery("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** A lock_timeout applies to each transaction that a statement waits for: the last caller here waits for two. */
    @Test
    @Fault(151)
    void fault151_waitEndsInTimeWhenHolderChanges() throws Exception {
        try (var first = new TransactionalJvm(server, namespace, false);
                var second = new TransactionalJvm(server, namespace, false);
                var third = new TransactionalJvm(server, namespace, false)) {
            // Waiting twice as long would outlast the limit for an unanswered statement
            Duration wait = third.backend.operationTimeout().plusSeconds(3);
            for (String done : List.of("UPDATE pess_work SET amount = amount + 7 WHERE id = 1", "")) {
                var end = new CompletableFuture<Boolean>();
                var next = new CompletableFuture<Boolean>();
                var last = new CompletableFuture<Boolean>();
                inTransaction(() -> {
                    first.locks.lock("chain").acquire();
                    start(() -> inTransaction(() -> second.locks.lock("chain").acquire().isValid() && end.get()), next);
                    Await.until("one waits", Duration.ofSeconds(20), () -> waiting() == 1);
                    start(() -> inTransaction(() -> {
                        if (!done.isEmpty()) {
                            third.execute(done);
                        }
                        boolean got = third.locks.lock("chain").tryAcquire(wait).isPresent();
                        assertThat(third.read(TIMEOUTS)).isEqualTo("0 0");
                        return got;
                    }), last);
                    Await.until("two wait", Duration.ofSeconds(20), () -> waiting() == 2);
                    last.copy().completeOnTimeout(null, wait.minusSeconds(1).toMillis(), TimeUnit.MILLISECONDS).get();
                    return true;
                });
                assertThat(last).as("after '%s'", done).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(false);
                end.complete(true);
                assertThat(next).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
            }
            assertThat(third.read("SELECT amount FROM pess_work WHERE id = 1")).as("the transaction is as it was")
                    .isEqualTo("7");
        }
    }

    /** A statement timeout is not the end of a wait. */
    @Test
    @Fault(159)
    void fault159_freeLockIsNotBusyOnSlowServer() throws Exception {
        TransactionalJvm jvm = jvm(8, Duration.ofSeconds(30));
        inTransaction(() -> jvm.locks.lock("slow").acquire());
        execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
                + "'BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END'");
        execute("CREATE TRIGGER slow BEFORE UPDATE ON quarkus_lock FOR EACH ROW EXECUTE FUNCTION slow()");
        try {
            for (String before : List.of("", "SELECT 1")) {
                assertThat(TransactionalJvm.<String> inTransaction(() -> {
                    if (!before.isEmpty()) {
                        jvm.read(before);
                    }
                    return jvm.locks.lock("slow").tryAcquire(Duration.ofMillis(100)).isPresent() + " " + jvm.read(TIMEOUTS);
                })).as("after '%s'", before).isEqualTo("true 0 0");
            }
        } finally {
            execute("DROP FUNCTION slow() CASCADE");
        }
    }

    /** The interceptor's settings for the transaction would be undone. */
    @Test
    @Fault(147)
    void fault147_interceptedTransactionIsNotRestarted() throws Exception {
        TransactionalJvm jvm = jvm(8, Duration.ofSeconds(30));
        jvm.pool.setPoolInterceptors(List.of(new AgroalPoolInterceptor() {

            @Override
            public void onConnectionAcquire(Connection connection) {
                try (Statement statement = connection.createStatement()) {
                    if (!connection.getAutoCommit()) {
                        statement.execute("SET LOCAL app.tenant = 'mine'");
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        }));
        for (String purged : List.of("new", "known", "purged")) {
            if (purged.equals("purged")) {
                execute("DELETE FROM quarkus_lock WHERE name LIKE '" + namespace + "%'");
            }
            assertThat(TransactionalJvm.<String> inTransaction(() -> {
                jvm.locks.lock("n").acquire();
                return jvm.read("SELECT current_setting('app.tenant', true)");
            })).as("of a row that is %s", purged).isEqualTo("mine");
        }
    }

    @Test
    void readOnlyTransactionIsReported() {
        TransactionalJvm jvm = jvm(8, Duration.ofSeconds(30));
        assertThatThrownBy(() -> inTransaction(() -> {
            jvm.execute("SET TRANSACTION READ ONLY");
            return jvm.locks.lock("n").acquire();
        })).isInstanceOf(LockBackendException.class).hasMessageContaining("is read-only, or the transaction is")
                .hasMessageContaining("in transactions that may write");
    }

    @Test
    @Fault(112)
    void fault112_checkOnAnotherServerLosesNothing() throws Exception {
        try (var other = Databases.prepared(PostgresServer.start(java.util.Map.of()))) {
            assertOtherServerReportsNoLoss(other);
        }
    }

    /** Any error does. */
    @Override
    Undoing undoing() {
        return new Undoing() {

            @Override
            public void undo(TransactionalJvm jvm) {
                assertThatThrownBy(() -> jvm.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
            }

            @Override
            public void close() {
                // nothing to end
            }
        };
    }

    /** Asking would cost each transaction another round trip. */
    @Test
    @Fault(153)
    void fault153_databaseIsQueriedOnlyForLocksAfterSavepoint() throws Exception {
        var rows = new PostgresRowLock("quarkus_lock", new PostgresLockDialect().now(), new PgDriver());
        try (var jvm = new TransactionalJvm(server, namespace, false)) {
            inTransaction(() -> jvm.locks.lock("n").acquire());
        }
        String id = new LockNames(namespace).id("n");
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (long wait : new long[] { 0, 1000 }) {
                for (String before : List.of("", "SELECT 1", "INSERT INTO pess_work VALUES (2, 0)",
                        "SAVEPOINT mine; RELEASE SAVEPOINT mine")) {
                    if (!before.isEmpty()) {
                        statement.execute(before);
                    }
                    RowLock.Locked locked = rows.lock(connection, id, wait, RowLock.Running.NOBODY);
                    assertThat(rows.known(connection, locked)).as("after '%s'", before)
                            .isEqualTo(RowLock.Known.HELD);
                    connection.rollback();
                }
                statement.execute("SAVEPOINT mine");
                RowLock.Locked locked = rows.lock(connection, id, wait, RowLock.Running.NOBODY);
                assertThat(rows.known(connection, locked)).isEqualTo(RowLock.Known.TO_ASK);
                assertThat(rows.has(connection, id, locked)).isTrue();
                statement.execute("ROLLBACK TO SAVEPOINT mine");
                assertThat(rows.has(connection, id, locked)).isFalse();
                connection.rollback();
            }
        }
    }

    /** The check of the sessions runs in its own time zone, and has to find out that the server is the same. */
    @Test
    @Fault(112)
    void fault112_transactionTimeZoneDoesNotHideLoss() throws Exception {
        TransactionalJvm jvm = jvm(8, Duration.ofSeconds(2));
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        TransactionalJvm.TRANSACTIONS.begin();
        jvm.execute("SET LOCAL TIME ZONE 'Asia/Kathmandu'");
        LockHandle hold = jvm.locks.lock("n").acquire();
        hold.onLost(() -> told.complete(true));
        execute(kill(jvm.read(sessionQuery())));
        assertThat(told).succeedsWithin(Duration.ofSeconds(30));
        assertThat(hold.isValid()).isFalse();
    }

    @Test
    @Fault(120)
    void fault120_hangingDatabaseIsNotReportedAsBusy() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port());
                var jvm = behind(proxy)) {
            inTransaction(() -> jvm.locks.lock("asked").acquire());
            proxy.blackhole();
            var asked = new CompletableFuture<Boolean>();
            start(() -> tryAcquire(jvm, Duration.ofMillis(20)), asked);
            assertThat(asked).failsWithin(jvm.backend.operationTimeout().plusSeconds(20))
                    .withThrowableOfType(ExecutionException.class).withCauseInstanceOf(LockBackendException.class);
        }
    }

    @Test
    @Fault(120)
    void fault120_waiterBehindUnansweredCallerIsNotToldBusy() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port());
                var jvm = behind(proxy)) {
            inTransaction(() -> jvm.locks.lock("asked").acquire());
            proxy.blackhole();
            var first = new CompletableFuture<Boolean>();
            Thread asking = start(() -> tryAcquire(jvm, Duration.ofMillis(20)), first);
            Await.until("the first caller asks", Duration.ofSeconds(10), () -> asks(asking));
            List<CompletableFuture<Boolean>> others = new ArrayList<>();
            for (int millis : new int[] { 20, 100, 400 }) {
                var other = new CompletableFuture<Boolean>();
                others.add(other);
                start(() -> tryAcquire(jvm, Duration.ofMillis(millis)), other);
            }
            others.add(first);
            for (CompletableFuture<Boolean> each : others) {
                assertThat(each).failsWithin(Duration.ofSeconds(20)).withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LockBackendException.class);
            }
        }
    }

    @Test
    @Fault(120)
    void fault120_waiterBehindWaitingCallerIsToldBusy() throws Exception {
        try (var other = new TransactionalJvm(server, namespace, false);
                var jvm = new TransactionalJvm(server, namespace, false)) {
            var first = new CompletableFuture<Boolean>();
            inTransaction(() -> {
                other.locks.lock("asked").acquire();
                Thread asking = start(() -> tryAcquire(jvm, Duration.ofMinutes(2)), first);
                Await.until("the first caller asks", Duration.ofSeconds(10), () -> asks(asking));
                for (int millis : new int[] { 0, 20, 400 }) {
                    var behind = new CompletableFuture<Boolean>();
                    start(() -> tryAcquire(jvm, Duration.ofMillis(millis)), behind);
                    assertThat(behind).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(false);
                }
                assertThat(first).isNotDone();
                return true;
            });
            assertThat(first).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
        }
    }

    /** A caller that believes that the work was rolled back repeats it. */
    @Test
    @Fault(319)
    void fault319_commitWithoutReplyIsReportedAsUnknown() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port());
                var jvm = behind(proxy, "?prepareThreshold=0")) { // otherwise the driver sends the text only once
            inTransaction(() -> jvm.locks.lock("n").acquire());
            assertThatThrownBy(() -> jvm.locks.lock("n").call(() -> {
                jvm.execute("UPDATE pess_work SET amount = 319 WHERE id = 1");
                proxy.dropReplyTo("COMMIT");
                return "success";
            })).isInstanceOf(LockLostException.class).hasMessageContaining("'n'").hasMessageContaining("is not known")
                    .hasMessageNotContaining("kept").hasMessageNotContaining("rolled back");
        }
        assertThat(number("SELECT amount FROM pess_work WHERE id = 1")).isEqualTo(319);
    }

    private TransactionalJvm behind(FaultProxy proxy) {
        return behind(proxy, "");
    }

    private TransactionalJvm behind(FaultProxy proxy, String parameters) {
        return new TransactionalJvm("postgresql", server.url(proxy.host(), proxy.port()) + parameters, server.user(),
                server.password(), namespace, 16, Duration.ofSeconds(30), false);
    }

    private static boolean tryAcquire(TransactionalJvm jvm, Duration wait) throws Exception {
        return inTransaction(() -> jvm.locks.lock("asked").tryAcquire(wait).isPresent());
    }

    private static boolean asks(Thread thread) {
        return Stream.of(thread.getStackTrace()).anyMatch(at -> at.getClassName().equals(PostgresRowLock.class.getName()));
    }

    private static Thread start(Callable<Boolean> body, CompletableFuture<Boolean> result) {
        var thread = new Thread(() -> {
            try {
                result.complete(body.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
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
            return "SET LOCAL search_path TO " + schema;
        }

        @Override
        Optional<String> statementThatCommits() {
            return Optional.empty();
        }

        @Override
        Optional<String> takeRole() {
            return Optional.of("SET LOCAL ROLE look_tenant");
        }

        @BeforeEach
        void role() throws SQLException {
            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                statement.execute("DROP ROLE IF EXISTS look_tenant");
                statement.execute("CREATE ROLE look_tenant");
            }
        }
    }
}
