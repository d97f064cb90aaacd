package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;

/** Transactions that begin inside a locked method, under its lock: none commits once the lock is lost. */
class InnerTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Ledger.class, Watched.class, Watched.End.class,
                    Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    Ledger ledger;

    @Inject
    UserTransaction transaction;

    @Inject
    LockManager locks;

    private Watched watched;

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
            transaction.rollback();
        }
        assertThat(locks.held()).isEmpty();
    }

    private String writeAndLose() {
        watched = Watched.transaction("order");
        assertThat(locks.forceRelease("order")).isTrue();
        return "written";
    }

    private void isLostAndRolledBack(ThrowingCallable call) throws Exception {
        watched = null;
        assertThatThrownBy(call).isInstanceOf(LockLostException.class).hasMessageContaining("'order'");
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void fault510_lossRollsBackTransactionOfAnotherBean() throws Exception {
        isLostAndRolledBack(() -> orders.settle(() -> ledger.write(this::writeAndLose)));
        isLostAndRolledBack(() -> orders.settleTwo(() -> ledger.write(this::writeAndLose)));
        isLostAndRolledBack(() -> orders.settle(() -> orders.settle(() -> ledger.write(this::writeAndLose))));
    }

    @Test
    void fault510_lossRollsBackTransactionBegunByBody() throws Exception {
        isLostAndRolledBack(() -> orders.settle(() -> QuarkusTransaction.requiringNew().call(this::writeAndLose)));
        isLostAndRolledBack(() -> orders.settle(() -> {
            transaction.begin();
            writeAndLose();
            transaction.commit();
            return "committed";
        }));
    }

    @Test
    void fault510_lossRollsBackTransactionInsideAnother() throws Exception {
        isLostAndRolledBack(() -> ledger.write(() -> orders.settle(() -> ledger.writeApart(this::writeAndLose))));
    }

    @Test
    void fault510_lossDuringStageCreationRollsBack() throws Exception {
        watched = null;
        assertThat(orders.settleLater(() -> ledger.write(this::writeAndLose))).failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat().withRootCauseInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void fault510_lossRollsBackTransactionInCall() throws Exception {
        isLostAndRolledBack(() -> locks.lock("order").call(() -> ledger.write(this::writeAndLose)));
        isLostAndRolledBack(() -> locks.lock("order")
                .run(() -> QuarkusTransaction.requiringNew().call(this::writeAndLose)));
        isLostAndRolledBack(() -> locks.all("order", "stock").call(() -> ledger.write(this::writeAndLose)));
    }

    @Test
    void fault510_lossRollsBackTransactionInNestedCall() throws Exception {
        isLostAndRolledBack(() -> locks.lock("order").call(() -> {
            isLostAndRolledBack(() -> locks.lock("order").call(() -> ledger.write(this::writeAndLose)));
            return "handled";
        }));
        isLostAndRolledBack(() -> locks.lock("order").call(() -> {
            isLostAndRolledBack(() -> orders.settle(() -> ledger.write(this::writeAndLose)));
            return "handled";
        }));
    }

    @Test
    void failureThatWrapsLossIsPropagated() {
        assertThatThrownBy(() -> locks.lock("order").call(() -> {
            try {
                return orders.settle(() -> locks.forceRelease("order"));
            } catch (LockLostException loss) {
                throw new IllegalStateException("not settled", loss);
            }
        })).isInstanceOf(IllegalStateException.class).hasMessage("not settled");
    }

    @Test
    void fault510_transactionBegunAfterLossRollsBack() throws Exception {
        isLostAndRolledBack(() -> orders.settle(() -> {
            locks.forceRelease("order");
            return ledger.write(() -> {
                watched = Watched.transaction("order");
                return "written";
            });
        }));
    }

    @Test
    void lossAfterCommitDoesNotUndoIt() throws Exception {
        assertThatThrownBy(() -> orders.settle(() -> {
            ledger.write(() -> watched = Watched.transaction("order"));
            locks.forceRelease("order");
            return "settled";
        })).isInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isTrue();
    }

    @Test
    void lossWithNotifyDoesNotFailCommit() throws Exception {
        assertThat(orders.settleAnyway(() -> ledger.write(this::writeAndLose))).isEqualTo("written");
        assertThat(watched.end().committed()).isTrue();
    }

    @Test
    void releaseBeforeCommitDoesNotFailIt() throws Exception {
        locks.lock("order").call(() -> {
            transaction.begin();
            return watched = Watched.transaction("order");
        });
        locks.lock("order").run(() -> {
            // another hold
        });
        transaction.commit();
        assertThat(watched.end().committed()).isTrue();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        <T> T settle(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked({ "order", "stock" })
        <T> T settleTwo(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        <T> T settleAnyway(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        <T> CompletionStage<T> settleLater(Callable<T> body) throws Exception {
            return CompletableFuture.completedFuture(body.call());
        }
    }

    @ApplicationScoped
    public static class Ledger {

        @Transactional
        <T> T write(Callable<T> body) throws Exception {
            return body.call();
        }

        @Transactional(TxType.REQUIRES_NEW)
        <T> T writeApart(Callable<T> body) throws Exception {
            return body.call();
        }
    }
}
