package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Calls while a transaction still exists, but can accept nothing more. */
class EndedTransactionTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Observer.class, Ended.class, Watched.class,
                    Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0");

    @Inject
    Orders orders;

    @Inject
    Event<Ended> ended;

    @Inject
    UserTransaction transaction;

    @Inject
    LockManager locks;

    /** The results of the observers' calls; a transaction manager hides their failures. */
    private final List<Object> observed = new ArrayList<>();

    @BeforeEach
    void begin() {
        observed.clear();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
            transaction.rollback();
        }
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault496_commitObserverAcquiresLockAgain() throws Exception {
        for (Callable<?> body : bodies()) {
            transaction.begin();
            orders.pay(() -> "paid");
            whenItHasEnded(body);
            transaction.commit();
        }
        assertThat(observed).isEqualTo(List.of(true, true, true, true, true));
    }

    @Test
    void fault496_observerFromBeforeLockAcquiresItAgain() throws Exception {
        for (Callable<?> body : bodies()) {
            transaction.begin();
            whenItHasEnded(body);
            orders.pay(() -> "paid");
            transaction.commit();
        }
        assertThat(observed).isEqualTo(List.of(true, true, true, true, true));
    }

    /** Each returns whether it holds the lock. */
    private List<Callable<?>> bodies() {
        return List.of(() -> orders.pay(() -> held("order")), () -> orders.payTwice(() -> held("order")),
                () -> orders.payInAStage(() -> held("order")).toCompletableFuture().get(20, TimeUnit.SECONDS),
                () -> orders.payLater(() -> held("order")).await().atMost(SOON),
                () -> orders.look(() -> held("order")));
    }

    /** These are unrelated to the transaction that has ended. */
    @Test
    void fault496_unrelatedWorkAfterCommitAcquiresLock() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        whenItHasEnded(() -> orders.inNewTransaction(() -> orders.pay(() -> held("order"))));
        whenItHasEnded(() -> locks.lock("order").call(() -> held("order")));
        transaction.commit();
        assertThat(observed).isEqualTo(List.of(true, true));
    }

    @Test
    void fault496_rollbackObserverAcquiresLockAgain() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        whenItHasEnded(() -> orders.pay(() -> held("order")));
        transaction.rollback();
        assertThat(observed).isEqualTo(List.of(true));
    }

    @Test
    void fault496_observerAcquiresUniOrSharedLockAgain() throws Exception {
        transaction.begin();
        orders.payLater(() -> "paid").await().atMost(SOON);
        whenItHasEnded(() -> orders.pay(() -> held("order")));
        transaction.commit();
        transaction.begin();
        orders.look(() -> "looked");
        whenItHasEnded(() -> orders.pay(() -> held("order")));
        transaction.commit();
        assertThat(observed).isEqualTo(List.of(true, true));
    }

    /** The transaction is one user of the hold, and leaves it once. */
    @Test
    void fault496_methodThatCommitsKeepsItsLock() throws Exception {
        transaction.begin();
        Optional<LockHandle> next = orders.pay(() -> {
            transaction.commit();
            return locks.lock("order").tryAcquireAsync(Duration.ZERO).await().atMost(SOON);
        });
        assertThat(next).isEmpty();
    }

    private void whenItHasEnded(Callable<?> body) {
        ended.fire(new Ended(() -> observed.add(body.call())));
    }

    @Test
    void fault497_rollbackOnlyTransactionDoesNotWait() throws Exception {
        try (LockHandle other = locks.lock("order").acquire()) {
            transaction.begin();
            transaction.setRollbackOnly();
            for (Callable<?> body : bodies()) {
                assertThatThrownBy(body::call).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Lock 'order' is not taken").hasMessageContaining("marked for rollback");
            }
            assertThat(orders.payBriefly(() -> "paid")).as("not bound").isNull();
            transaction.rollback();
            assertThat(other.isValid()).isTrue();
        }
    }

    @Test
    void fault498_failedCommitHasLossAsCause() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        locks.forceRelease("order");
        assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class)
                .cause().isInstanceOf(LockLostException.class);
    }

    /** @param body runs after the transaction */
    public record Ended(Callable<?> body) {
    }

    @ApplicationScoped
    public static class Observer {

        void observe(@Observes(during = TransactionPhase.AFTER_COMPLETION) Ended ended) throws Exception {
            ended.body().call();
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Transactional(TxType.REQUIRES_NEW)
        <T> T inNewTransaction(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        <T> T pay(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked({ "order", "stock" })
        <T> T payTwice(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        <T> CompletionStage<T> payInAStage(Callable<T> body) throws Exception {
            return CompletableFuture.completedFuture(body.call());
        }

        @Locked("order")
        <T> Uni<T> payLater(Callable<T> body) throws Exception {
            return Uni.createFrom().item(body.call());
        }

        @Locked(value = "order", mode = LockMode.SHARED)
        <T> T look(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", release = Locked.Release.ON_RETURN, onBusy = Locked.OnBusy.SKIP)
        <T> T payBriefly(Callable<T> body) throws Exception {
            return body.call();
        }
    }
}
