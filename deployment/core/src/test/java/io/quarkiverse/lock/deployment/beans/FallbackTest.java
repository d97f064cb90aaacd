package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** A fallback method replaces one whose lock is busy. */
class FallbackTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Prices.class, Parent.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0");

    @Inject
    LockManager locks;

    @Inject
    Prices prices;

    @Inject
    Vertx vertx;

    @Test
    void fallbackRunsWhileLockIsBusy() throws Exception {
        try (LockHandle hold = locks.lock("price-a").acquire()) {
            assertThat(prices.price("a", 2, new long[] { 3 })).isEqualTo(-5);
            assertThat(prices.inherited("a")).isEqualTo("cached a");
            assertThat(prices.later("a").await().indefinitely()).startsWith("instead: Lock 'price-a' is busy");
            assertThat(prices.stage("a").toCompletableFuture().get()).isEqualTo("stage instead");
            assertThat(Prices.statics("a")).isEqualTo(List.of("instead"));
            prices.nothing("a");
            assertThat(Prices.noted).isEqualTo("a");
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(prices.price("a", 2, new long[] { 3 })).isEqualTo(5);
        assertThat(prices.inherited("a")).isEqualTo("fresh a");
        assertThat(prices.later("a").await().indefinitely()).isEqualTo("later a");
        assertThat(prices.stage("a").toCompletableFuture().get()).isEqualTo("stage a");
        assertThat(Prices.statics("a")).isEqualTo(List.of("a"));
    }

    @Test
    void fallbackExceptionIsPropagated() {
        try (LockHandle hold = locks.lock("price-b").acquire()) {
            assertThatThrownBy(() -> prices.failing("b")).isInstanceOf(IOException.class).hasMessage("instead");
            assertThatThrownBy(() -> prices.laterFailing("b").await().indefinitely())
                    .isInstanceOf(CompletionException.class).hasCauseInstanceOf(IOException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault435_nullFallbackErrorNamesFallbackAndLock() {
        try (LockHandle hold = locks.lock("price-f").acquire()) {
            Stream.<Callable<?>> of(() -> prices.stageOfNothing("f").toCompletableFuture().get(),
                    () -> onEventLoop(() -> prices.stageOfNothing("f")),
                    () -> prices.laterOfNothing("f").await().indefinitely(),
                    () -> prices.itemsOfNothing("f").collect().asList().await().indefinitely())
                    .forEach(call -> assertThatThrownBy(call::call).rootCause().isInstanceOf(LockBusyException.class)
                            .hasMessageContaining("'price-f'"));
            assertThatThrownBy(() -> prices.laterOfNothing("f").await().indefinitely())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(Prices.class.getName() + ".noLater", Prices.class.getName() + ".laterOfNothing");
            assertThat(hold.isValid()).isTrue();
        }
    }

    private String onEventLoop(Supplier<CompletionStage<String>> call) throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext())
                .runOnContext(ignored -> call.get().whenComplete((item, failure) -> {
                    if (failure == null) {
                        outcome.complete(item);
                    } else {
                        outcome.completeExceptionally(failure);
                    }
                }));
        return outcome.get(30, TimeUnit.SECONDS);
    }

    @Test
    void fallbackIgnoresBusyExceptionFromBody() {
        try (LockHandle other = locks.lock("other").acquire()) {
            assertThatThrownBy(() -> prices.nested("c")).isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("'other'");
            assertThatThrownBy(() -> prices.nestedLater("c").await().indefinitely())
                    .isInstanceOf(LockBusyException.class).hasMessageContaining("'other'");
            assertThat(other.isValid()).isTrue();
        }
    }

    @Test
    void fallbackRunsAfterPartialLocksAreReleased() throws Exception {
        try (LockHandle hold = locks.lock("stock-e").acquire()) {
            assertThat(prices.both("e")).isEqualTo("nothing");
            assertThat(prices.bothStage("e").toCompletableFuture().get()).isEqualTo("nothing");
            assertThat(prices.bothLater("e").await().indefinitely()).isEqualTo("nothing");
            assertThat(prices.bothItems("e").collect().asList().await().indefinitely()).containsExactly("nothing");
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(prices.both("e")).isEqualTo("price-e stock-e");
    }

    @Test
    void eachSubscriptionRequestsTheLockAgain() {
        Uni<String> later;
        try (LockHandle hold = locks.lock("price-d").acquire()) {
            later = prices.later("d");
            assertThat(later.await().indefinitely()).startsWith("instead");
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(later.await().indefinitely()).isEqualTo("later d");
    }

    public static class Parent {

        String cached(String id) {
            return "cached " + id;
        }
    }

    @ApplicationScoped
    public static class Prices extends Parent {

        @Inject
        LockManager locks;

        static String noted = "";

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        long price(String id, int factor, long[] more) {
            return factor + more[0];
        }

        /** Not this one: the parameters differ. */
        long instead(String id) {
            throw new AssertionError();
        }

        protected long instead(String id, int factor, long[] more) {
            return -factor - more[0];
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "cached")
        String inherited(String id) {
            return "fresh " + id;
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "laterInstead")
        Uni<String> later(String id) {
            return Uni.createFrom().item("later " + id);
        }

        Uni<String> laterInstead(String id, LockBusyException busy) {
            return Uni.createFrom().item("instead: " + busy.getMessage());
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "stageInstead")
        CompletionStage<String> stage(String id) {
            return Uni.createFrom().item("stage " + id).subscribeAsCompletionStage();
        }

        CompletionStage<String> stageInstead(String id, LockBusyException busy) {
            return Uni.createFrom().item("stage instead").subscribeAsCompletionStage();
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "noStage")
        CompletionStage<String> stageOfNothing(String id) {
            throw new AssertionError();
        }

        CompletionStage<String> noStage(String id) {
            return null;
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "noLater")
        Uni<String> laterOfNothing(String id) {
            throw new AssertionError();
        }

        Uni<String> noLater(String id) {
            return null;
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "noItems")
        Multi<String> itemsOfNothing(String id) {
            throw new AssertionError();
        }

        Multi<String> noItems(String id) {
            return null;
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "staticInstead")
        static List<String> statics(String id) {
            return List.of(id);
        }

        static List<String> staticInstead(String id) {
            return List.of("instead");
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "note")
        void nothing(String id) {
        }

        void note(String id) {
            noted = id;
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "fail")
        int failing(String id) throws IOException {
            return 1;
        }

        int fail(String id, LockBusyException busy) throws IOException {
            throw new IOException("instead", busy);
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "failLater")
        Uni<Integer> laterFailing(String id) {
            return Uni.createFrom().item(1);
        }

        Uni<Integer> failLater(String id) throws IOException {
            throw new IOException("instead");
        }

        /** Tells which locks are held or still taken, apart from the busy one. */
        String taken(String id, LockBusyException busy) {
            assertThat(busy).hasMessageContaining("'stock-" + id + "'");
            assertThat(locks.held()).extracting(HeldLock::name).containsExactly("stock-" + id);
            return locks.inspect("price-" + id).map(LockInfo::toString).orElse("nothing");
        }

        @Locked(value = { "price-{id}", "stock-{id}" }, holdAtLeast = "1h", onBusy = OnBusy.FALLBACK, fallbackMethod = "taken")
        String both(String id) {
            return locks.held().stream().map(HeldLock::name).sorted().collect(Collectors.joining(" "));
        }

        @Locked(value = { "price-{id}",
                "stock-{id}" }, holdAtLeast = "1h", onBusy = OnBusy.FALLBACK, fallbackMethod = "bothStageInstead")
        CompletionStage<String> bothStage(String id) {
            throw new AssertionError();
        }

        CompletionStage<String> bothStageInstead(String id, LockBusyException busy) {
            return CompletableFuture.completedFuture(taken(id, busy));
        }

        @Locked(value = { "price-{id}",
                "stock-{id}" }, holdAtLeast = "1h", onBusy = OnBusy.FALLBACK, fallbackMethod = "bothLaterInstead")
        Uni<String> bothLater(String id) {
            throw new AssertionError();
        }

        Uni<String> bothLaterInstead(String id, LockBusyException busy) {
            return Uni.createFrom().item(taken(id, busy));
        }

        @Locked(value = { "price-{id}",
                "stock-{id}" }, holdAtLeast = "1h", onBusy = OnBusy.FALLBACK, fallbackMethod = "bothItemsInstead")
        Multi<String> bothItems(String id) {
            throw new AssertionError();
        }

        Multi<String> bothItemsInstead(String id, LockBusyException busy) {
            return Multi.createFrom().item(taken(id, busy));
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "cached")
        String nested(String id) {
            locks.lock("other").acquire().close();
            return "never";
        }

        @Locked(value = "price-{id}", onBusy = OnBusy.FALLBACK, fallbackMethod = "laterInstead")
        Uni<String> nestedLater(String id) {
            return locks.lock("other").acquireAsync().map(hold -> "never");
        }
    }
}
