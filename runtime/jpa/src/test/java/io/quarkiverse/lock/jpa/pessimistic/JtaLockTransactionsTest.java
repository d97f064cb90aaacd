package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.REGISTRY;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import javax.transaction.xa.XAResource;

import jakarta.transaction.Status;
import jakarta.transaction.Transaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.testkit.Fault;

/** Transactions of JTA without a database. */
@Timeout(120)
class JtaLockTransactionsTest {

    private final JtaLockTransactions transactions = new JtaLockTransactions(TRANSACTIONS, REGISTRY);

    /** As the transaction manager does on another thread when it takes too long. */
    @Test
    @Fault(571)
    void fault571_transactionThatIsJustRolledBackIsExplained() throws Exception {
        var rollingBack = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        TRANSACTIONS.begin();
        Transaction transaction = TRANSACTIONS.getTransaction();
        transaction.enlistResource((XAResource) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { XAResource.class }, (proxy, method, arguments) -> switch (method.getName()) {
                    case "rollback" -> {
                        rollingBack.countDown();
                        end.await();
                        yield null;
                    }
                    case "hashCode" -> 1;
                    case "equals", "isSameRM" -> proxy == arguments[0];
                    case "setTransactionTimeout" -> true;
                    default -> null;
                }));
        CompletableFuture<Boolean> rolledBack = TransactionalJvm.start(() -> {
            transaction.rollback();
            return true;
        });
        try {
            rollingBack.await();
            assertThat(transactions.active()).isFalse();
            assertThatThrownBy(transactions::begin).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("took too long")
                    .hasMessageContaining("quarkus.transaction-manager.default-transaction-timeout");
        } finally {
            end.countDown();
            rolledBack.join();
            TRANSACTIONS.suspend();
        }
    }

    /** The thread has it until the method that began it returns: a part of its work must not be committed alone. */
    @Test
    @Fault(571)
    void fault571_transactionThatWasRolledBackIsNotReplaced() throws Exception {
        TRANSACTIONS.begin();
        try {
            Transaction late = TRANSACTIONS.getTransaction();
            TransactionalJvm.start(() -> {
                late.rollback();
                return true;
            }).join();
            assertThat(late.getStatus()).isEqualTo(Status.STATUS_ROLLEDBACK);
            assertThat(transactions.active()).isFalse();
            assertThatThrownBy(transactions::begin).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("took too long");
        } finally {
            TRANSACTIONS.suspend();
        }
    }
}
