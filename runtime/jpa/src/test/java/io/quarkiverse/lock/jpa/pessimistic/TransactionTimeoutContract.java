package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.free;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.start;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import jakarta.transaction.Status;
import jakarta.transaction.Transaction;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** What happens to a wait whose transaction ends meanwhile, for instance by its timeout. Run on each database. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class TransactionTimeoutContract {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(150);
    private static final String WORK = "UPDATE pess_work SET amount = 9 WHERE id = 1";

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final String namespace = "timeout-" + UUID.randomUUID();

    abstract DatabaseServer server();

    /** Whether a rollback on another thread ends a waiting statement; if not, it waits for the statement's end. */
    boolean rollbackEndsWaits() {
        return true;
    }

    @AfterEach
    void close() throws Exception {
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }

    private TransactionalJvm jvm() {
        var jvm = new TransactionalJvm(server(), namespace, false);
        closeables.push(jvm);
        return jvm;
    }

    @Test
    @Fault(155)
    void fault155_transactionEndDuringRowWaitIsReported() throws Exception {
        waitingForARow(false);
    }

    @Test
    @Fault(155)
    void fault155_transactionEndDuringRowWaitAfterWorkIsReported() throws Exception {
        waitingForARow(true);
    }

    private void waitingForARow(boolean afterWork) throws Exception {
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        inTransaction(() -> b.locks.lock("n").acquire());
        var holder = new Holder(a);
        var caller = new Caller(b, afterWork ? WORK : null);
        caller.transactionEnds();
        if (!rollbackEndsWaits()) {
            holder.end();
        }
        caller.isToldSo();
        holder.end();
        nothingStays(a, b);
    }

    @Test
    @Fault(155)
    void fault155_transactionEndDuringQueueWaitIsReported() throws Exception {
        TransactionalJvm a = jvm();
        var holder = new Holder(a);
        var caller = new Caller(a, null);
        caller.transactionEnds();
        CompletableFuture<Boolean> next = start(() -> inTransaction(() -> a.locks.lock("n").tryAcquire(LONG).isPresent()));
        holder.end();
        caller.isToldSo();
        assertThat(next).succeedsWithin(SOON).isEqualTo(true);
        nothingStays(a);
    }

    @Test
    @Fault(155)
    void fault155_callWithTimedOutTransactionIsReported() throws Exception {
        Assumptions.assumeTrue(rollbackEndsWaits(), "Nobody sees when to go on");
        TransactionalJvm a = jvm();
        TransactionalJvm b = jvm();
        var holder = new Holder(a);
        CompletableFuture<Boolean> result = start(() -> {
            TRANSACTIONS.setTransactionTimeout(1);
            return b.locks.lock("n").call(() -> true);
        });
        isToldSo(result);
        holder.end();
        nothingStays(a, b);
    }

    private void nothingStays(TransactionalJvm... jvms) throws Exception {
        for (TransactionalJvm jvm : jvms) {
            Await.until("it is free", SOON, () -> free(jvm, "n"));
            assertThat(jvm.engine.held()).isEmpty();
        }
        for (int i = 0; i < 40; i++) { // on all connections of the pools
            TransactionalJvm jvm = jvms[i % jvms.length];
            assertThat(TransactionalJvm.<String> inTransaction(() -> jvm.read("SELECT amount FROM pess_work WHERE id = 1")))
                    .isEqualTo("0");
            assertThat(TransactionalJvm.<Boolean> inTransaction(() -> {
                jvm.execute("UPDATE pess_work SET amount = 0 WHERE id = 1");
                return jvm.locks.lock("n").tryAcquire(Duration.ZERO).isPresent();
            })).isTrue();
        }
    }

    private static void isToldSo(CompletableFuture<Boolean> result) {
        assertThat(result).failsWithin(SOON).withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockBackendException.class)
                .withMessageContaining("Lock 'n'").withMessageContaining("rolled back")
                .withMessageContaining("quarkus.transaction-manager.default-transaction-timeout");
    }

    /** A thread that holds the lock. */
    private static final class Holder {

        private final CompletableFuture<Boolean> end = new CompletableFuture<>();
        private final CompletableFuture<Boolean> done;

        Holder(TransactionalJvm jvm) throws Exception {
            var has = new CompletableFuture<Boolean>();
            done = start(() -> inTransaction(() -> {
                jvm.locks.lock("n").acquire();
                return has.complete(true) && end.get();
            }));
            has.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }

        void end() {
            end.complete(true);
            assertThat(done).succeedsWithin(SOON);
        }
    }

    /** A thread that wants the lock in a transaction that takes too long. */
    private static final class Caller {

        private final CompletableFuture<Transaction> transaction = new CompletableFuture<>();
        private final CompletableFuture<Boolean> result;

        Caller(TransactionalJvm jvm, @Nullable String work) {
            result = start(() -> {
                for (int seconds = 2; !begun(jvm, work, seconds); seconds *= 2) {
                    TRANSACTIONS.suspend(); // the machine is busy: the transaction ended before it could wait
                }
                transaction.complete(TRANSACTIONS.getTransaction());
                return jvm.locks.lock("n").tryAcquire(LONG).isPresent();
            });
        }

        private static boolean begun(TransactionalJvm jvm, @Nullable String work, int seconds) throws Exception {
            TRANSACTIONS.setTransactionTimeout(seconds);
            TRANSACTIONS.begin();
            if (work != null) {
                try {
                    jvm.execute(work);
                } catch (SQLException e) {
                    return false;
                }
            }
            return TRANSACTIONS.getStatus() == Status.STATUS_ACTIVE;
        }

        void transactionEnds() throws Exception {
            Transaction its = transaction.get(SOON.toSeconds(), TimeUnit.SECONDS);
            Await.until("it ends", SOON, () -> its.getStatus() != Status.STATUS_ACTIVE);
        }

        void isToldSo() {
            TransactionTimeoutContract.isToldSo(result);
        }
    }
}
