package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.runtime.transaction.ReactiveTransactions;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Calls inside a transaction that can be rolled back only between its statements. */
class PatientCallsTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, OneTransaction.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.active-transaction", "join");

    @Inject
    Orders orders;

    @Inject
    OneTransaction transaction;

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    /** All calls are on this event loop, which learns of one loss after the other. */
    private Context loop;
    private CompletableFuture<String> statements;

    @BeforeEach
    void begin() {
        loop = vertx.getOrCreateContext();
        statements = new CompletableFuture<>();
        transaction.open = true;
        transaction.rollBackOnly = false;
    }

    @AfterEach
    void nothingIsLeft() {
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void lostUniWaitsForItsStatements() throws Exception {
        aLossWaitsForTheStatements(() -> orders.uni(statements).subscribeAsCompletionStage());
    }

    @Test
    void fault543_lostMultiWaitsForItsStatements() throws Exception {
        aLossWaitsForTheStatements(() -> orders.multi(statements).collect().last().subscribeAsCompletionStage());
    }

    @Test
    void fault543_lostStageWaitsForItsStatements() throws Exception {
        aLossWaitsForTheStatements(() -> orders.stage(statements));
    }

    private void aLossWaitsForTheStatements(Supplier<CompletionStage<String>> call) throws Exception {
        CompletableFuture<String> result = onEventLoop(call);
        transaction.open = false;
        CompletableFuture<String> other = onEventLoop(() -> orders.other().subscribeAsCompletionStage());
        locks.forceRelease("order");
        locks.forceRelease("other");
        assertThat(other).as("is notified later").failsWithin(SOON);
        assertThat(result).isNotDone();
        assertThat(transaction.rollBackOnly).isFalse();
        statements.complete("written");
        assertThat(result).failsWithin(SOON).withThrowableThat().withStackTraceContaining(LockLostException.class.getName());
        assertThat(transaction.rollBackOnly).isTrue();
    }

    @Test
    void fault582_unconfirmedUniRollsBack() throws Exception {
        unconfirmedCallRollsBack(() -> orders.unconfirmedUni().subscribeAsCompletionStage());
    }

    @Test
    void fault582_unconfirmedMultiRollsBack() throws Exception {
        unconfirmedCallRollsBack(() -> orders.unconfirmedMulti().collect().last().subscribeAsCompletionStage());
    }

    @Test
    void fault582_unconfirmedStageRollsBack() throws Exception {
        unconfirmedCallRollsBack(() -> orders.unconfirmedStage());
    }

    /** As if it had a transaction of its own inside, and the backend did not answer. */
    private void unconfirmedCallRollsBack(Supplier<CompletionStage<String>> call) throws Exception {
        assertThat(onEventLoop(call)).failsWithin(SOON).withThrowableThat()
                .withStackTraceContaining(LockLostException.class.getName());
        assertThat(transaction.rollBackOnly).isTrue();
    }

    /** Returns once the lock is held. */
    private CompletableFuture<String> onEventLoop(Supplier<CompletionStage<String>> call) throws Exception {
        CompletableFuture<CompletionStage<String>> made = new CompletableFuture<>();
        VertxContext.createNewDuplicatedContext(loop).runOnContext(ignored -> made.complete(call.get()));
        return made.get(10, TimeUnit.SECONDS).toCompletableFuture();
    }

    /** The same transaction on all contexts. */
    @Singleton
    static class OneTransaction implements ReactiveTransactions {

        volatile boolean open = true;
        volatile boolean rollBackOnly;

        @Override
        public Current current() {
            return open ? loss -> rollBackOnly = true : null;
        }

        @Override
        public Uni<Void> flush() {
            return Uni.createFrom().voidItem();
        }
    }

    @ApplicationScoped
    static class Orders {

        @Inject
        LockEngines engines;

        private LockLostException unconfirmed(Held held) {
            return engine().validity().unconfirmedFailure((LockHold) held);
        }

        private LockEngine engine() {
            return engines.engine(LockManagers.DEFAULT);
        }

        @Locked("order")
        Uni<String> unconfirmedUni() {
            return Uni.createFrom()
                    .context(context -> Uni.createFrom().failure(unconfirmed(Pipelines.innermostHeld(context))));
        }

        @Locked("order")
        Multi<String> unconfirmedMulti() {
            return Multi.createFrom()
                    .context(context -> Multi.createFrom().failure(unconfirmed(Pipelines.innermostHeld(context))));
        }

        @Locked("order")
        CompletionStage<String> unconfirmedStage() {
            return CompletableFuture.failedFuture(unconfirmed(engine().scopes().innermost()));
        }

        @Locked("order")
        Uni<String> uni(CompletionStage<String> statements) {
            return Uni.createFrom().completionStage(statements);
        }

        @Locked("order")
        Multi<String> multi(CompletionStage<String> statements) {
            return Multi.createFrom().completionStage(statements);
        }

        @Locked("order")
        CompletionStage<String> stage(CompletionStage<String> statements) {
            return statements;
        }

        @Locked("other")
        Uni<String> other() {
            return Uni.createFrom().nothing();
        }
    }
}
