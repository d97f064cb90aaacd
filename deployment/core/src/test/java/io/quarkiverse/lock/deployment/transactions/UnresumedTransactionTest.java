package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.transaction.Transactions;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** A call that waited for its lock cannot continue in its caller's transaction. */
class UnresumedTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Unresumable.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.active-transaction", "join");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    @Test
    void unresumedUniReleasesItsLock() throws Exception {
        failsAndIsFree(() -> orders.uni().subscribeAsCompletionStage());
    }

    @Test
    void unresumedMultiReleasesItsLock() throws Exception {
        failsAndIsFree(() -> orders.multi().toUni().subscribeAsCompletionStage());
    }

    @Test
    void fault545_unresumedStageReleasesItsLock() throws Exception {
        failsAndIsFree(() -> orders.stage());
    }

    private void failsAndIsFree(Supplier<CompletionStage<String>> call) throws Exception {
        CompletableFuture<CompletionStage<String>> made = new CompletableFuture<>();
        VertxContext.getOrCreateDuplicatedContext(vertx).runOnContext(ignored -> made.complete(call.get()));
        assertThat(made.get(10, TimeUnit.SECONDS)).failsWithin(Duration.ofSeconds(10)).withThrowableThat()
                .withStackTraceContaining("cannot be resumed");
        assertThat(locks.held()).isEmpty();
    }

    @Alternative
    @Priority(1)
    @Singleton
    static class Unresumable implements Transactions {

        @Override
        public Current current() {
            return new Current() {
                @Override
                public LockHold boundHold(LockEngine engine, String name) {
                    return null;
                }

                @Override
                public void refuseIfDoomed(String name) {
                    // it is not doomed
                }

                @Override
                public void bind(LockEngine engine, LockHold hold) {
                    throw new AssertionError("not outside of it");
                }

                @Override
                public void check(LockEngine engine, LockHold hold, boolean mayAsk) {
                    throw new AssertionError("not outside of it");
                }

                @Override
                public <T> T call(Supplier<T> call) {
                    throw new IllegalStateException("The active transaction cannot be resumed");
                }
            };
        }

        @Override
        public boolean leaveCompleted(LockHold hold) {
            return true;
        }

        @Override
        public boolean suspendedIn(InvocationContext call) {
            return false;
        }

        @Override
        public boolean isRollback(Throwable failure) {
            return false;
        }
    }

    @ApplicationScoped
    static class Orders {

        @Locked("order")
        Uni<String> uni() {
            return Uni.createFrom().item("paid");
        }

        @Locked("order")
        Multi<String> multi() {
            return Multi.createFrom().item("paid");
        }

        @Locked("order")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage("paid");
        }
    }
}
