package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.smallrye.mutiny.Uni;

/** Several names in one script call: all or none. */
class TogetherScriptTest extends RedisTest {

    private static final String OTHER = "lock:1:{test:other}";

    // --- the script

    @Test
    void allNamesAreGrantedWithTheirOwnFences() {
        store.acquire("before", false);
        store.release("before");
        long fence = store.fence();
        List<Object> reply = together("X", "a", "b");
        assertThat(reply).hasSize(3).startsWith("GRANTED");
        assertThat(Long.parseLong((String) reply.get(1))).isGreaterThan(fence).isEqualTo(store.fence());
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
        assertThat(other()).containsExactlyInAnyOrder("f", "h:b");
        assertThat(store.renew("a")).isZero();
        assertThat(together("X", "a", "b")).as("the reply was lost").isEqualTo(reply);
        assertThat(together("X", "c", "d")).containsExactly("BUSY");
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
        assertThat(store.ttl()).isGreaterThan(Store.LEASE);
    }

    @Test
    void noNameIsGrantedIfOneIsUnavailable() {
        store.acquire("x", true);
        assertNone();
        store.acquire("y", true);
        store.redis.command("HDEL", Store.KEY, "h:x");
        assertNone(); // it is next, though not notified yet
        store.release("y");
        store.acquire("x", true);
        store.keep("x", 60_000);
        assertNone();
        store.release("x");
        store.release("a", 60_000);
        assertNone(); // it has been withdrawn
        store.expire("x:a");
        assertThat(together("X", "a", "b").get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).as("the expired tombstone is gone").containsOnlyKeys("f", "h:a");
    }

    private void assertNone() {
        var before = store.hash();
        assertThat(together("X", "a", "b")).containsExactly("BUSY");
        assertThat(store.hash()).isEqualTo(before);
        assertThat(other()).isEmpty();
    }

    @Test
    void readersAcquireTogetherButNotPastWriter() {
        store.acquire("r", "S", 0, "", true);
        assertThat(together("S", "a", "b").get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).containsKeys("h:r", "h:a");
        store.acquire("w", true);
        assertThat(together("S", "c", "d")).as("not past a writer").containsExactly("BUSY");
    }

    @Test
    void multiLockLeavesNewerFormatUnchanged() {
        store.redis.command("HSET", Store.KEY, "v", "3");
        assertNone();
    }

    private List<Object> together(String mode, String claim, String otherClaim) {
        return store.eval(Script.TOGETHER, List.of(Store.KEY, OTHER), List.of("" + Store.RETENTION, "0", mode, "0", "",
                "" + Store.LEASE, "somebody", claim, otherClaim));
    }

    private List<String> other() {
        return store.redis.list("HKEYS", OTHER);
    }

    // --- the engine over it

    @Test
    void multiLockTakesOneRoundTrip() throws Exception {
        Jvm jvm = jvm();
        LockManager locks = locks(jvm.link);
        jvm.listening(); // otherwise the recheck after the subscription may add a call
        locks.all("a", "b").acquire().close(); // loads the scripts into the server
        resetCalls();
        try (LockHandle three = locks.all("a", "b", "c").acquire()) {
            assertThat(calls()).isEqualTo(1);
            assertThat(three.isValid()).isTrue();
            assertThat(three.fencingToken("a")).isPositive();
        }
        assertThat(calls()).as("and a release for each").isEqualTo(4);
        resetCalls();
        assertThat(locks.all("a", "b", "c").callAsync(() -> Uni.createFrom().item(calls())).await().atMost(SOON)).isEqualTo(1);
        resetCalls();
        locks.lock("b").call(() -> locks.all("a", "b", "c").call(() -> {
            assertThat(calls()).as("one call for b, one for the others").isEqualTo(2);
            assertThat(locks.held()).hasSize(3);
            return null;
        }));
        assertThat(locks.held()).isEmpty();
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        try (LockHandle one = locks.all(shared, "a", "b").acquire();
                LockHandle more = locks().all(shared, "b", "a").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(one.isValid() && more.isValid()).isTrue();
        }
    }

    @Test
    void multiLockWaitsInQueueForBusyName() {
        LockManager holder = locks();
        LockManager waiting = locks();
        LockHandle b = holder.lock("b").acquire();
        assertThat(waiting.all("a", "b").tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(holder.lock("a").tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
        var both = waiting.all("a", "b").acquireAsync().subscribeAsCompletionStage();
        Await.until("it is in line", SOON, () -> holder.inspect("b").orElseThrow().waiters() == 1);
        assertThat(holder.lock("a").tryAcquire(Duration.ZERO)).as("the waiter holds the first name").isEmpty();
        b.close();
        LockHandle hold = Jvm.get(both);
        assertThat(hold.isValid()).isTrue();
        hold.close();
        assertThat(waiting.held()).isEmpty();
    }

    @Test
    void lostMultiLockReplyLeavesNothing() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            LockManager locks = locksThrough(proxy, Duration.ofMillis(1_500));
            locks.all("name", "other").acquire().close();
            proxy.connections().forEach(each -> each.mode(Mode.DROP_REPLIES));
            try (LockHandle both = locks.all("name", "other").acquire()) {
                assertThat(both.isValid()).isTrue();
                assertThat(store.hash().keySet().stream().filter(field -> field.startsWith("h:"))).hasSize(1);
                assertThat(store.hash().keySet()).as("the lost claim is rejected from now on")
                        .anyMatch(field -> field.startsWith("x:"));
            }
            Await.until("both are free", SOON, () -> held().isEmpty());
        }
    }

    /** Otherwise a caller that does not wait would find the names taken by its own lost call. */
    @Test
    void locksTakenOverBrokenConnectionAreReleasedBeforeRetry() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            LockManager locks = locksThrough(proxy, SOON);
            locks.all("name", "other").acquire().close();
            List<Connection> broken = proxy.connections();
            broken.forEach(each -> each.mode(Mode.DROP_REPLIES));
            var both = locks.all("name", "other").tryAcquireAsync(Duration.ZERO).subscribeAsCompletionStage();
            Await.until("the call has run", SOON,
                    () -> store.hash().keySet().stream().anyMatch(field -> field.startsWith("h:")));
            broken.forEach(Connection::reset);
            LockHandle handle = Jvm.get(both).orElseThrow();
            assertThat(handle.isValid()).isTrue();
            assertThat(held()).as("of the second call").hasSize(2);
            handle.close();
            Await.until("both are free", SOON, () -> held().isEmpty());
        }
    }

    /** The holders of both names. */
    private List<String> held() {
        return Stream.concat(store.hash().keySet().stream(), other().stream()).filter(field -> field.startsWith("h:")).toList();
    }

    private LockManager locksThrough(FaultProxy proxy, Duration timeout) {
        return locks(jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(timeout)).link);
    }

    private LockManager locks(RedisConnections link) {
        return opened(LockEngine.builder(new RedisLockBackend(link, "test", "somebody")).start())
                .manager(ManagerDefaults.STANDARD);
    }

    private void resetCalls() {
        ScriptCalls.reset(store.redis);
    }

    private int calls() {
        return ScriptCalls.count(store.redis);
    }
}
