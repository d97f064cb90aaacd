package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;

/** A warning reports locks that are taken in opposite orders, even when no two callers meet. */
class LockOrdersTest {

    private final LockOrders orders = new LockOrders();
    private final LockEngine engine = engine(orders);
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LoggedRecords log = new LoggedRecords(LockOrders.class);

    private static LockEngine engine(LockOrders orders) {
        VirtualTime time = new VirtualTime();
        return LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).orders(orders).start();
    }

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    @Test
    void warningShowsWhereEachOrderWasSeen() throws Exception {
        firstThis("order", "stock");
        assertThat(log.warnings()).isEmpty();
        thenThat("stock", "order");

        assertThat(log.warnings()).singleElement().asString().contains("'stock' and 'order'", "opposite orders",
                "quarkus.lock.deadlock-detection=false");
        LogRecord told = log.records().get(0);
        assertThat(told.getThrown()).hasMessageContaining("'stock' was requested under 'order'");
        assertThat(methods(told.getThrown())).contains("firstThis").doesNotContain("thenThat");
        Throwable here = told.getThrown().getSuppressed()[0];
        assertThat(here).hasMessageContaining("'order' was requested under 'stock'")
                .hasMessageContaining(Thread.currentThread().getName());
        assertThat(methods(here)).contains("thenThat").doesNotContain("firstThis");
    }

    private static List<String> methods(Throwable trace) {
        return Arrays.stream(trace.getStackTrace()).map(StackTraceElement::getMethodName).toList();
    }

    private void firstThis(String outer, String inner) throws Exception {
        nested(lock(outer), lock(inner));
    }

    private void thenThat(String outer, String inner) throws Exception {
        nested(lock(outer), lock(inner));
    }

    private static void nested(DistributedLock outer, DistributedLock inner) throws Exception {
        Callable<Integer> body = () -> 1;
        outer.call(() -> inner.call(body));
    }

    private DistributedLock lock(String name) {
        return locks.lock(name);
    }

    @Test
    void eachPairIsReportedOnce() throws Exception {
        for (int i = 0; i < 3; i++) {
            nested(lock("a"), lock("b"));
            nested(lock("b"), lock("a"));
            nested(lock("b"), lock("c"));
            nested(lock("c"), lock("b"));
        }
        assertThat(log.warnings()).hasSize(2);
    }

    @Test
    void allEnclosingLocksAreChecked() throws Exception {
        Callable<Integer> body = () -> 1;
        lock("a").call(() -> lock("b").call(() -> lock("c").call(body)));
        nested(lock("c"), lock("a"));
        assertThat(log.warnings()).singleElement().asString().contains("'c' and 'a'");
    }

    @Test
    void consistentOrderIsNotReported() throws Exception {
        nested(lock("a"), lock("b"));
        nested(lock("a"), lock("b"));
        nested(lock("b"), lock("c"));
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void releasedLocksEncloseNothing() throws Exception {
        Callable<Integer> body = () -> 1;
        lock("a").call(body);
        lock("b").call(body);
        lock("a").call(body);
        lock("b").acquire().close();
        lock("a").acquire().close();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void reentryIsNotReported() throws Exception {
        Callable<Integer> body = () -> 1;
        lock("a").call(() -> lock("b").call(() -> lock("a").call(body)));
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void immediateTryIsNotReported() throws Exception {
        nested(lock("a"), lock("b"));
        lock("b").call(() -> lock("a").tryAcquire(Duration.ZERO)).orElseThrow().close();
        assertThat(log.warnings()).isEmpty();
        lock("b").call(() -> lock("a").tryAcquire(Duration.ofSeconds(1))).orElseThrow().close();
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void handlesOfOneThreadAreChecked() {
        try (LockHandle a = lock("a").acquire(); LockHandle b = lock("b").acquire()) {
            assertThat(a.isValid() && b.isValid()).isTrue();
        }
        try (LockHandle b = lock("b").acquire(); LockHandle a = lock("a").acquire()) {
            assertThat(a.isValid() && b.isValid()).isTrue();
        }
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void javaLocksOfOneThreadAreChecked() {
        var a = lock("a").asJavaLock();
        var b = lock("b").asJavaLock();
        a.lock();
        b.lock();
        a.unlock();
        a.lock();
        a.unlock();
        b.unlock();
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void nestedPipelinesAreChecked() {
        lock("a").callAsync(() -> lock("b").callAsync(() -> Uni.createFrom().item(1))).await().indefinitely();
        assertThat(log.warnings()).isEmpty();
        lock("b").callAsync(() -> lock("a").callAsync(() -> Uni.createFrom().item(1))).await().indefinitely();
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void siblingsInPipelinesAreNotNested() {
        lock("a").callAsync(() -> Uni.createFrom().item(1)).chain(() -> lock("b").callAsync(() -> Uni.createFrom().item(1)))
                .chain(() -> lock("a").callAsync(() -> Uni.createFrom().item(1))).await().indefinitely();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void lockOnAnotherThreadIsNotReported() throws Exception {
        nested(lock("a"), lock("b"));
        Callable<Integer> body = () -> 1;
        lock("b").call(() -> CompletableFuture.supplyAsync(() -> {
            try {
                return lock("a").call(body);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, task -> new Thread(task).start()).join());
        assertThat(log.warnings()).as("the first thread may not be waiting for it").isEmpty();
    }

    @Test
    void multiNameCallsUseOneOrder() throws Exception {
        Callable<Integer> body = () -> 1;
        locks.all("a", "b").call(body);
        locks.all("b", "a").call(body);
        assertThat(log.warnings()).isEmpty();
        nested(lock("b"), lock("a"));
        assertThat(log.warnings()).as("a holder of b blocks a caller that has only a of both").hasSize(1);
    }

    @Test
    void readersDoNotExcludeEachOther() throws Exception {
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        nested(locks.lock("a", shared), locks.lock("b", shared));
        nested(locks.lock("b", shared), locks.lock("a", shared));
        nested(locks.lock("b", shared), locks.lock("a"));
        assertThat(log.warnings()).as("a reader of b does not wait for readers").isEmpty();
        nested(locks.lock("b"), locks.lock("a"));
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void templatesAreComparedInsteadOfNames() {
        ask("order-{id}", "order-1", "stock-{id}", "stock-1");
        ask("stock-{id}", "stock-2", "order-{id}", "order-2");
        assertThat(log.warnings()).singleElement().asString().contains("'stock-{id}' and 'order-{id}'");
        ask("order-{id}", "order-2", "order-{id}", "order-1");
        assertThat(log.warnings()).as("one template has no order").hasSize(1);
    }

    private void ask(String outerTemplate, String outer, String innerTemplate, String inner) {
        var around = engine.acquire().tryAcquire(outer, template(outerTemplate));
        var inside = engine.acquire().tryAcquire(inner, template(innerTemplate));
        engine.handOver().leave(inside);
        engine.handOver().leave(around);
    }

    private static HoldSettings template(String template) {
        return new HoldSettings("<default>", template, Duration.ofSeconds(10).toNanos(), Duration.ofSeconds(30).toNanos(), true,
                Long.MAX_VALUE, OnLost.FAIL, 0, LockMode.EXCLUSIVE, 0);
    }

    @Test
    void ordersAreSharedByAllEngines() throws Exception {
        try (LockEngine other = engine(orders)) {
            LockManager others = other.manager(ManagerDefaults.STANDARD);
            nested(lock("a"), others.lock("b"));
            nested(others.lock("b"), lock("a"));
            assertThat(log.warnings()).hasSize(1);
        }
    }

    @Test
    void oldestOrdersAreForgotten() throws Exception {
        nested(lock("a"), lock("b"));
        for (int i = 0; i < 1_000; i++) {
            nested(lock("a"), lock("b" + i));
        }
        nested(lock("b"), lock("a"));
        assertThat(log.warnings()).as("the first pair was evicted by later ones").isEmpty();
    }

    @Test
    void asyncStageDoesNotEncloseLaterLocks() {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        var stage = engine.stages().run(engine.acquire().tryAcquire("a", template("a")), () -> result, ItemCheck.ANY);
        engine.handOver().leave(engine.acquire().tryAcquire("b", template("b")));
        ask("b", "b", "a2", "a2");
        ask("a2", "a2", "b", "b");
        assertThat(log.warnings()).hasSize(1);
        result.complete(1);
        assertThat(stage).isCompleted();
        ask("b", "b", "a", "a");
        assertThat(log.warnings()).as("b was never requested under a").hasSize(1);
    }

    @Test
    void fault493_callForManyNamesEvictsNoOrders() throws Exception {
        nested(lock("a"), lock("b"));
        locks.all(many()).call(() -> 1);
        nested(lock("b"), lock("a"));
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void fault493_callUnderManyLocksEvictsNoOrders() throws Exception {
        nested(lock("a"), lock("b"));
        locks.all(many()).call(() -> lock("x").call(() -> 1));
        nested(lock("b"), lock("a"));
        assertThat(log.warnings()).hasSize(1);
    }

    private static String[] many() {
        return IntStream.range(0, 600).mapToObj(i -> "many-" + i).toArray(String[]::new);
    }

    @Test
    void newestLocksAreCheckedUnderManyLocks() throws Exception {
        locks.all(many()).call(() -> lock("y").call(() -> lock("x").call(() -> 1)));
        nested(lock("x"), lock("y"));
        assertThat(log.warnings()).singleElement().asString().contains("'x' and 'y'");
    }
}
