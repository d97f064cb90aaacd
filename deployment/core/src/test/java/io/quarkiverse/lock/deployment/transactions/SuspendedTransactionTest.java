package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.Status;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * The lock of a method that does not run in the active transaction belongs to the method's own work, and not to that
 * transaction.
 */
class SuspendedTransactionTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Audit.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".LockedInterceptor"))
            .assertLogRecords(records -> assertThat(records).as("nothing stale is read").isEmpty());

    @Inject
    Audit audit;

    @Inject
    UserTransaction transaction;

    @Inject
    LockManager locks;

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
            transaction.rollback();
        }
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault495_lockIsHeldUntilItsOwnCommit() throws Exception {
        transaction.begin();
        freeAfterItsCommit(audit.record(() -> Watched.transaction("audit")));
        freeAfterItsCommit(audit.recordTwice(() -> Watched.transaction("audit")));
        freeAfterItsCommit(audit.recordInAStage(() -> Watched.transaction("audit")).toCompletableFuture()
                .get(20, TimeUnit.SECONDS));
        freeAfterItsCommit(audit.recordLater(() -> Watched.transaction("audit")).await().atMost(SOON));
        freeAfterItsCommit(audit.recordEach(() -> Watched.transaction("audit")).collect().first().await().atMost(SOON));
        transaction.commit();
    }

    private static void freeAfterItsCommit(Watched own) throws Exception {
        assertThat(own.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("audit")).as("held in the outer transaction").isFalse();
    }

    @Test
    void fault495_lockIsHeldOutsideTransaction() throws Exception {
        transaction.begin();
        assertThat(audit.recordOutside(() -> held("audit"))).isTrue();
        assertThat(held("audit")).isFalse();
        transaction.commit();
    }

    /** Nothing has run under the lock, so the outer transaction has no use for it. */
    @Test
    void fault512_lockIsFreeAfterRejectedCall() throws Exception {
        transaction.begin();
        assertThatThrownBy(() -> audit.recordAlone(() -> "recorded")).hasCauseInstanceOf(InvalidTransactionException.class);
        assertThat(held("audit")).isFalse();
        transaction.commit();
        assertThat(audit.recordAlone(() -> held("audit"))).isTrue();
    }

    @Test
    void fault495_suspendedRollbackOnlyTransactionIsIgnored() throws Exception {
        transaction.begin();
        transaction.setRollbackOnly();
        assertThat(audit.record(() -> Watched.transaction("audit")).end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        transaction.rollback();
    }

    @Test
    void fault495_lockDoesNotStayWithSuspendedTransaction() throws Exception {
        transaction.begin();
        audit.record(() -> "first");
        assertThat(audit.inNewTransaction(() -> audit.record(() -> "second"))).isEqualTo("second");
        transaction.commit();
    }

    @Test
    void fault495_lossRollsBackOnlyItsOwnTransaction() throws Exception {
        transaction.begin();
        Watched outer = Watched.transaction("audit");
        assertThatThrownBy(() -> audit.record(() -> {
            Watched.beforeTheCommit(() -> locks.forceRelease("audit"));
            return "lost";
        })).isInstanceOf(LockLostException.class);
        transaction.commit();
        assertThat(outer.end().committed()).isTrue();
    }

    @Test
    void fault495_waitingUniOutlivesOuterTransaction() throws Exception {
        LockHandle other = locks.lock("audit").acquire();
        transaction.begin();
        CompletableFuture<Watched> recording = audit.recordLater(() -> Watched.transaction("audit"))
                .subscribeAsCompletionStage();
        transaction.commit();
        other.close();
        assertThat(recording.get(20, TimeUnit.SECONDS).end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        locks.lock("audit").run(() -> {
            // waits until the Uni has released it
        });
    }

    @ApplicationScoped
    public static class Audit {

        @Locked("audit")
        @Transactional(TxType.REQUIRES_NEW)
        <T> T record(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked({ "audit", "ledger" })
        @Transactional(TxType.REQUIRES_NEW)
        <T> T recordTwice(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("audit")
        @Transactional(TxType.REQUIRES_NEW)
        <T> CompletionStage<T> recordInAStage(Callable<T> body) throws Exception {
            return CompletableFuture.completedFuture(body.call());
        }

        @Locked("audit")
        @Transactional(TxType.REQUIRES_NEW)
        <T> Uni<T> recordLater(Callable<T> body) throws Exception {
            return Uni.createFrom().item(body.call());
        }

        @Locked("audit")
        @Transactional(TxType.REQUIRES_NEW)
        <T> Multi<T> recordEach(Callable<T> body) throws Exception {
            return Multi.createFrom().item(body.call());
        }

        @Locked("audit")
        @Transactional(TxType.NOT_SUPPORTED)
        <T> T recordOutside(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("audit")
        @Transactional(TxType.NEVER)
        <T> T recordAlone(Callable<T> body) throws Exception {
            return body.call();
        }

        @Transactional(TxType.REQUIRES_NEW)
        <T> T inNewTransaction(Callable<T> body) throws Exception {
            return body.call();
        }
    }
}
