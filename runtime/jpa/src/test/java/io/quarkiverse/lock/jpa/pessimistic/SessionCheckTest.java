package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.transaction.xa.XAResource;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.database.BoundedConnections;
import io.quarkiverse.lock.jpa.database.HangingOnce;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** What the check of a held lock's session says when it cannot connect. */
class SessionCheckTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(6);

    private final H2Database server = Databases.prepared(new H2Database());
    private final RowLock rowLock = new H2RowLock("quarkus_lock");
    private final AgroalDataSource empty = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 1,
            TransactionIntegration.none(), Duration.ofMillis(100));
    private Connection holder;
    private TransactionGrant held;
    private Transaction transaction;

    @BeforeEach
    void hold() throws Exception {
        Await.until("its only connection is taken", SOON, () -> {
            try {
                empty.getConnection();
                return true;
            } catch (SQLException e) {
                return false; // it is still being made
            }
        });
        holder = server.connect();
        try (var statement = holder.createStatement()) {
            statement.execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, since, expires, shared_until, "
                    + "queue_until) VALUES ('n', 'n', 1, 0, 0, 0, 0, 0, 0)");
        }
        holder.setAutoCommit(false);
        held = new TransactionGrant(new Claim("n", 1, 1, LockMode.EXCLUSIVE, 0, 1, true), "n", System.nanoTime());
        TRANSACTIONS.begin();
        transaction = TRANSACTIONS.suspend();
        held.locked(rowLock.lock(holder, "n", 0, RowLock.Running.NOBODY), transaction);
    }

    @AfterEach
    void close() throws Exception {
        if (transaction.getStatus() == Status.STATUS_ACTIVE) {
            transaction.rollback();
        }
        empty.close();
        holder.close();
        server.close();
    }

    private SessionCheck check(UnpooledConnections outside) {
        return new SessionCheck(new BoundedConnections(outside, TIMEOUT), empty, rowLock, TIMEOUT);
    }

    @Test
    @Fault(413)
    void fault413_hangingServerDoesNotBlockNextCheck() throws Exception {
        var outside = new HangingOnce(server);
        SessionCheck check = check(outside);
        assertThatThrownBy(() -> start(() -> check.check(List.of(held))).get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(SQLException.class);
        assertThat(check.check(List.of(held)).renewed()).hasSize(1);
        holder.rollback();
        assertThat(check.check(List.of(held)).lost()).hasSize(1);
        outside.awaitEndOfLate(SOON);
    }

    /** The server answers, so it is alive; the commit finds out whether the lock still exists. */
    @Test
    @Fault(414)
    void fault414_refusedConnectionsWithEmptyPoolLoseNothing() throws Exception {
        for (SQLException refused : List.of(new SQLException("too many connections for role", "53300"),
                new SQLException("password authentication failed", "28P01"),
                new SQLException("Too many connections", "08004", 1040),
                new SQLException("User has more than 'max_user_connections' active connections", "42000", 1203))) {
            assertThat(check(() -> {
                throw refused;
            }).check(List.of(held)).renewed()).as("%s", refused).hasSize(1);
        }
    }

    @Test
    @Fault(414)
    void fault414_unreachableServerProvesNoLoss() {
        for (SQLException failed : List.of(new SQLException("Connection refused", "08001"),
                new SQLException("the database system is starting up", "57P03"))) {
            assertThatThrownBy(() -> check(() -> {
                throw failed;
            }).check(List.of(held))).as("%s", failed).isSameAs(failed);
        }
    }

    private enum End {
        COMMIT,
        ROLLBACK,
        REFUSED_COMMIT
    }

    /** The database has ended the transaction, and the holder has not been notified yet. */
    @ParameterizedTest
    @EnumSource
    @Fault(523)
    void fault523_endingTransactionLosesNothing(End end) throws Exception {
        List<Renewal> found = foundAt(end, 1);
        assertThat(found.get(0).lost()).isEmpty();
        assertThat(found.get(0).renewed()).isEqualTo(List.of(held));
    }

    /** As when the connection is dead: the body may still run while another holds the lock. */
    @ParameterizedTest
    @EnumSource
    @Fault(523)
    void fault523_hangingEndLosesTheLock(End end) throws Exception {
        List<Renewal> found = foundAt(end, 2);
        assertThat(found.get(0).lost()).as("it may end by itself").isEmpty();
        assertThat(found.get(1).lost()).isEqualTo(List.of(held));
        assertThat(found.get(1).renewed()).isEmpty();
    }

    /** What this many checks find between the end in the database and its report. */
    private List<Renewal> foundAt(End end, int checks) throws Exception {
        var found = new ArrayList<Renewal>();
        transaction.enlistResource(resource(() -> {
            holder.commit();
            for (int i = 0; i < checks; i++) {
                found.add(start(() -> check(server::connect).check(List.of(held))).get(SOON.toSeconds(), TimeUnit.SECONDS));
            }
        }));
        switch (end) {
            case COMMIT -> transaction.commit();
            case ROLLBACK -> transaction.rollback();
            case REFUSED_COMMIT -> {
                transaction.setRollbackOnly();
                assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class);
            }
        }
        assertThat(found).hasSize(checks);
        return found;
    }

    /** Its end must be awaited: a body that relies on the lock may still run. */
    @Test
    @Fault(523)
    void fault523_rollbackOnlyTransactionLosesItsLock() throws Exception {
        transaction.setRollbackOnly();
        holder.rollback();
        assertThat(check(server::connect).check(List.of(held)).lost()).isEqualTo(List.of(held));
        transaction.rollback();
    }

    private interface Ending {

        void run() throws Exception;
    }

    /** The only resource of its transaction; when that ends, it does what the test wants. */
    private static XAResource resource(Ending ending) {
        return (XAResource) Proxy.newProxyInstance(XAResource.class.getClassLoader(), new Class<?>[] { XAResource.class },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "commit", "rollback" -> {
                        ending.run();
                        yield null;
                    }
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals", "isSameRM" -> proxy == arguments[0];
                    case "toString" -> "the database";
                    case "setTransactionTimeout" -> false;
                    case "getTransactionTimeout", "prepare" -> 0;
                    default -> null;
                });
    }
}
