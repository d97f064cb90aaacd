package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** A server that is down, hangs, or restarts without its data. */
class OutageTest extends RedisTest {

    @AfterEach
    void serverRuns() {
        if (!server.isRunning()) {
            server.restart();
        }
    }

    @Test
    void absentServerFailsClearlyWithinTimeout() {
        Jvm jvm = jvm("redis://127.0.0.1:1", Jvm.timeout(Duration.ofMillis(500)));
        long start = System.nanoTime();
        RuntimeException failure = failure(() -> jvm.ask("name"));
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        assertThat(failure).isInstanceOf(LockBackendException.class).hasMessageContaining("'name'")
                .hasMessageContaining("quarkus.redis.hosts").hasMessageContaining("quarkus.lock.redis.operation-timeout=500ms");
    }

    @Test
    @Fault(37)
    void fault37_hangingServerFailsClearlyWithinTimeout() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(Duration.ofMillis(1_500)));
        Grant held = jvm.grant("name");
        server.pause();
        try {
            long start = System.nanoTime();
            RuntimeException failure = failure(() -> jvm.ask("other"));
            assertThat(failure).hasMessageContaining("quarkus.lock.redis.operation-timeout=1.5s");
            Renewal renewal = jvm.renew(held);
            assertThat(renewal.unknown().equals(List.of(held))).isTrue();
            assertThat(failure(() -> jvm.release(held))).isInstanceOf(LockBackendException.class);
            assertThat(System.nanoTime() - start).isLessThan(15_000_000_000L);
        } finally {
            server.resume();
        }
        Await.until("it is connected again", SOON, () -> jvm.renew(held).unknown().isEmpty());
        Await.until("the late acquire was undone", SOON, () -> {
            TinyRedis redis = store.redis;
            return redis.list("HKEYS", "lock:1:{test:other}").stream().noneMatch(field -> field.startsWith("h:"));
        });
    }

    @Test
    @Fault({ 23, 34 })
    void fault23_waiterSurvivesDataLossAndFenceStillIncreases() {
        Jvm holder = jvm(server.url(), RedisLockOptions.STANDARD).listening();
        Jvm other = jvm(server.url(), RedisLockOptions.STANDARD);
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        server.kill();
        Await.until("the trouble is known", SOON, () -> waiting.claim.trouble() != null);
        server.restart();
        reopenStore();
        Grant second = waiting.grant();
        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(waiting.claim.trouble()).isNull();
        Await.until("the former holder is asked to check", SOON, () -> holder.told.rechecks.get() > 0);
        assertThat(holder.renew(first).lost()).hasSize(1);
        Await.until("subscribed again", SOON,
                () -> store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").size() == 2);
    }

    @Test
    @Fault(23)
    void fault23_holderLearnsAtOnceThatRestartLostItsLock() {
        LockHandle hold = locks().lock("name", LockOptions.DEFAULTS.withLease(Duration.ofMinutes(10))).acquire();
        server.kill();
        server.restart();
        reopenStore();
        // Too early for the lease or the next renewal to reveal it
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON.multipliedBy(2));
        try (LockHandle next = locks().lock("name").acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
            hold.close();
            assertThat(next.isValid()).isTrue();
            assertThat(store.hash()).hasSize(2);
        }
    }

    /** The releases are the first calls to the restarted server, before any renewal; it knows no scripts. */
    @Test
    @Fault(143)
    void fault143_releasesDuringOutageReportLocksLostByRestart() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON));
        jvm.release(jvm.grant("other"));
        List<Grant> held = List.of(jvm.grant("a"), jvm.grant("b"), jvm.grant("c"));
        server.kill();
        Await.until("the connection is lost", SOON, () -> jvm.told.suspected.containsAll(held));
        List<CompletableFuture<Void>> released = held.stream()
                .map(each -> jvm.backend.release(each).subscribeAsCompletionStage()).toList();
        server.restart();
        reopenStore();
        assertThat(released).allSatisfy(each -> assertThat(failure(() -> Jvm.get(each))).isInstanceOf(LockLostException.class));
    }

    /** The server knows the script of the release, but not that of the request after it. */
    @Test
    @Fault(143)
    void fault143_unknownScriptOfLaterRequestDoesNotHideLoss() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(SOON));
            jvm.release(jvm.grant("other"));
            Grant held = jvm.grant("a");
            proxy.down();
            Await.until("the connection is lost", SOON, () -> jvm.told.suspected.contains(held));
            CompletableFuture<Void> released = jvm.backend.release(held).subscribeAsCompletionStage();
            Jvm.Waiting asking = jvm.claim("other", false);
            store.redis.command("FLUSHALL");
            store.redis.command("SCRIPT", "FLUSH");
            store.release("nobody");
            proxy.accept();
            assertThat(failure(() -> Jvm.get(released))).isInstanceOf(LockLostException.class);
            asking.grant();
        }
    }

    /** Long before the operation timeout, which may exceed the wait of the caller. */
    @Test
    void waiterLearnsAtOnceWhyConnectionFails() {
        Jvm jvm = jvm("redis://127.0.0.1:1", Jvm.timeout(Duration.ofHours(1)));
        Jvm.Waiting waiting = jvm.claim("name");
        Await.until("the trouble is known", SOON, () -> waiting.claim.trouble() != null);
        assertThat(waiting.claim.trouble()).isInstanceOf(LockBackendException.class).hasMessageContaining("'name'")
                .hasMessageContaining("quarkus.redis.hosts").hasMessageContaining("cannot be reached")
                .hasMessageContaining("refused").hasMessageNotContaining("timeout");
        Jvm.Waiting second = jvm.claim("other");
        Await.until("it is known of the next one too", SOON, () -> second.claim.trouble() != null);
        waiting.cancel();
        second.cancel();
    }

    @Test
    void lateFirstConnectionIsLogged() {
        server.kill();
        try (var log = LogLines.news(RedisLockBackend.class.getPackageName())) {
            Jvm jvm = jvm(server.url(), Jvm.timeout(SOON));
            Await.until("it is known that it is away", SOON, () -> !log.messages().isEmpty());
            server.restart();
            reopenStore();
            jvm.claim("name").grant();
            Await.until("its coming is logged", SOON,
                    () -> log.messages().contains("Connected to Redis (quarkus.redis.hosts)"));
        }
    }

    @Test
    void outageAndRecoveryAreLoggedOnce() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(Duration.ofMillis(1_500)));
        jvm.release(jvm.claim("name").grant()); // now there is a connection
        try (var log = LogLines.news(RedisLockBackend.class.getPackageName())) {
            server.kill();
            failure(() -> jvm.ask("name"));
            failure(() -> jvm.ask("name"));
            Await.until("it is known that it is away", SOON, () -> log.messages().size() >= 2);
            server.restart();
            reopenStore();
            jvm.claim("name").grant();
            String end = "Connected to Redis again (quarkus.redis.hosts); all locks are checked";
            Await.until("its end is logged", SOON, () -> log.messages().contains(end));
            assertThat(log.messages()).satisfiesExactly(
                    lost -> assertThat(lost).startsWith("Lost the connection to Redis (quarkus.redis.hosts)"),
                    away -> assertThat(away).startsWith("Cannot connect to Redis (quarkus.redis.hosts)"),
                    back -> assertThat(back).isEqualTo(end));
        }
    }

    @Test
    void callsAfterCloseFailAsShuttingDown() {
        Jvm jvm = jvm();
        Grant grant = jvm.grant("name");
        jvm.close();
        assertThat(failure(() -> jvm.ask("name"))).hasMessageContaining("shutting down");
        assertThat(failure(() -> jvm.release(grant))).hasMessageContaining("shutting down");
        assertThat(jvm.renew(grant).unknown()).hasSize(1);
    }
}
