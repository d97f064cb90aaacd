package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Calls while a transaction is still there, but nothing more can belong to it. */
class EndedTransactionTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0");

    @Inject
    Orders orders;

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

    /** Each tells whether it holds the lock. */
    private List<Callable<?>> bodies() {
        return List.of(() -> orders.pay(() -> held("order")), () -> orders.payTwice(() -> held("order")),
                () -> orders.payInAStage(() -> held("order")).toCompletableFuture().get(20, TimeUnit.SECONDS),
                () -> orders.payLater(() -> held("order")).await().atMost(SOON),
                () -> orders.look(() -> held("order")));
    }

    @Test
    void fault497_aDoomedTransactionDoesNotWaitForALock() throws Exception {
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

    @ApplicationScoped
    public static class Orders {

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
