package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.deployment.Counter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;

/** A lock in a new transaction is taken before that transaction reads anything. */
class NewTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideConfigKey("quarkus.lock.active-transaction", "fail")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:apart;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Counter.class));

    @Inject
    Stock stock;

    @Inject
    LockManager locks;

    @Inject
    TransactionManager transactions;

    @Test
    void fault408_suspendedTransactionDoesNotPreventTheLock() {
        QuarkusTransaction.requiringNew().run(() -> {
            assertThat(stock.requiresNew("apart")).isTrue();
            assertThat(stock.withoutTheCallers("apart")).as("begun for the lock").isTrue();
        });
    }

    @Test
    void rejectedLockLeavesTransactionActive() {
        QuarkusTransaction.requiringNew().run(() -> {
            assertThatThrownBy(() -> stock.inTransaction("joined", () -> true)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is taken inside an active transaction");
            assertThat(QuarkusTransaction.getStatus()).isEqualTo(Status.STATUS_ACTIVE);
        });
    }

    /** The lock ends with its own transaction. Another transaction may record the rollback. */
    @Test
    void failureRecordInNewTransactionIsCommitted() throws Exception {
        assertThatThrownBy(() -> stock.inTransaction("recorded", () -> {
            assertThat(locks.held()).hasSize(1);
            rollBackAsIfItTookTooLong(transactions.getTransaction());
            assertThat(locks.held()).as("lost").isEmpty();
            QuarkusTransaction.requiringNew().run(() -> stock.create(7));
            throw new IllegalStateException("on purpose");
        })).isNotInstanceOf(AssertionError.class);
        transactions.suspend(); // Quarkus keeps a transaction that was rolled back elsewhere on the thread
        assertThat(stock.value(7)).isZero();
    }

    private static void rollBackAsIfItTookTooLong(Transaction transaction) throws Exception {
        CompletableFuture.runAsync(() -> {
            try {
                transaction.rollback();
            } catch (SystemException e) {
                throw new IllegalStateException(e);
            }
        }).get(30, TimeUnit.SECONDS);
    }
}
