package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** A server that is away, hangs, forgets or refuses. */
class FaultTest extends RedisTest {

    @AfterEach
    void serverRuns() {
        if (!server.isRunning()) {
            server.restart();
        }
    }

    @Test
    void anAbsentServerIsAClearFailureInTime() {
        Jvm jvm = jvm("redis://127.0.0.1:1", Jvm.timeout(Duration.ofMillis(500)));
        long start = System.nanoTime();
        RuntimeException failure = ClientRuleTest.failure(() -> jvm.ask("name"));
        assertThat(System.nanoTime() - start).isLessThan(1_500_000_000L);
        assertThat(failure).isInstanceOf(LockBackendException.class).hasMessageContaining("'name'")
                .hasMessageContaining("quarkus.redis.hosts").hasMessageContaining("quarkus.lock.redis.operation-timeout=500ms");
    }

    @Test
    void aHangingServerIsAClearFailureInTimeAndIsLeftBehind() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(Duration.ofMillis(500)));
        Grant held = jvm.grant("name");
        server.pause();
        try {
            long start = System.nanoTime();
            RuntimeException failure = ClientRuleTest.failure(() -> jvm.ask("other"));
            assertThat(failure).hasMessageContaining("quarkus.lock.redis.operation-timeout=500ms");
            Renewal renewal = jvm.renew(held);
            assertThat(renewal.unknown().equals(java.util.List.of(held))).isTrue();
            assertThat(ClientRuleTest.failure(() -> jvm.release(held))).isInstanceOf(LockBackendException.class);
            assertThat(System.nanoTime() - start).isLessThan(4_000_000_000L);
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
    void aWaitSurvivesARestartThatLosesAllDataAndTheFenceStillRises() {
        Jvm holder = jvm();
        Jvm other = jvm();
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
        Await.until("subscribed again once there is contention", SOON, () -> {
            holder.claim("name");
            return store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").size() == 2;
        });
    }

    @Test
    void aGrantThatComesAfterTheCallerGaveUpIsUndone() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLinkOptions.STANDARD);
            jvm.release(jvm.grant("name"));
            proxy.delayRequests(Duration.ofMillis(400));
            Jvm.Waiting late = jvm.claim("name");
            late.cancel();
            Await.until("it was granted", SOON, () -> store.fence() > 0 && store.field("h:" + late.claim.token()) != null
                    || store.hash().size() == 1);
            awaitFields("f");
            assertThat(late.answer).isNotDone();
        }
    }

    @Test
    void scriptsThatTheServerForgetsAreSentAgain() {
        Jvm jvm = jvm();
        var stop = new AtomicBoolean();
        var flusher = CompletableFuture.runAsync(() -> {
            try (TinyRedis redis = server.connect()) {
                while (!stop.get()) {
                    redis.command("SCRIPT", "FLUSH");
                }
            }
        }, task -> new Thread(task).start());
        try {
            for (int i = 0; i < 200; i++) {
                var all = new ArrayList<Jvm.Waiting>();
                for (int n = 0; n < 20; n++) {
                    all.add(jvm.claim("name-" + n, n % 2 == 0));
                }
                for (Jvm.Waiting each : all) {
                    Grant grant = each.grant();
                    assertThat(jvm.renew(grant).renewed()).hasSize(1);
                    jvm.backend.release(grant).subscribe().with(ignored -> {
                    });
                }
            }
        } finally {
            stop.set(true);
            Jvm.get(flusher);
        }
        Await.until("all are released", SOON, () -> store.redis.keys("*").stream()
                .allMatch(key -> store.redis.list("HKEYS", key).equals(java.util.List.of("f"))));
    }

    @Test
    void aSubscriptionThatDiesSilentlyIsReplaced() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm holder = jvm();
            Jvm other = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(500)));
            Grant first = holder.grant("name");
            other.ask("another");
            var commands = proxy.connections().get(0);
            Jvm.Waiting waiting = other.claim("name");
            awaitQueued(waiting);
            int before = proxy.accepted();
            // Made last, and the only one that is silent: the one for messages.
            proxy.connections().forEach(each -> {
                if (each != commands) {
                    each.mode(Mode.BLACKHOLE);
                }
            });
            Await.until("there is a new connection", Duration.ofSeconds(15), () -> proxy.accepted() > before);
            awaitQueued(waiting);
            holder.release(first);
            waiting.grant();
        }
    }

    @Test
    void moreCallsThanFitOnTheConnectionQueueUp() {
        Jvm jvm = jvm();
        server.pause();
        var all = new ArrayList<Jvm.Waiting>();
        for (int i = 0; i < 3 * Commands.IN_FLIGHT; i++) {
            all.add(jvm.claim("name-" + i, false));
        }
        server.resume();
        all.forEach(Jvm.Waiting::grant);
        assertThat(jvm.told.rechecks).as("times that the connection was lost").hasValue(0);
    }

    @Test
    void aSilentConnectionIsReplaced() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(400)));
            jvm.release(jvm.grant("name"));
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            jvm.claim("name").grant();
            assertThat(proxy.accepted()).isEqualTo(2);
        }
    }

    @Test
    void aReplicaIsRetriedUntilItIsTheMaster() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        try (RedisServer master = RedisServer.start()) {
            store.redis.command("REPLICAOF", master.host(), "" + master.port());
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused", SOON, () -> waiting.claim.trouble() != null
                    && waiting.claim.trouble().getMessage().contains("replica"));
            RuntimeException failure = ClientRuleTest.failure(() -> jvm.ask("name"));
            assertThat(failure).hasMessageContaining("replica").hasMessageContaining("quarkus.redis.hosts");
            assertThat(waiting.answer).isNotDone();
            Await.until("it looks for the master with new connections", SOON, () -> jvm.told.rechecks.get() > 0);
            store.redis.command("REPLICAOF", "NO", "ONE");
            waiting.grant();
        }
    }

    @Test
    void aServerBusyWithAScriptIsRetried() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        store.redis.command("CONFIG", "SET", "lua-time-limit", "50");
        try (TinyRedis slow = server.connect()) {
            slow.send("EVAL", "while true do end", "0");
            Await.until("the server is busy", SOON, this::busy);
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused", SOON, () -> waiting.claim.trouble() != null);
            assertThat(waiting.claim.trouble()).hasMessageContaining("BUSY");
            assertThat(waiting.answer).isNotDone();
            store.redis.command("SCRIPT", "KILL");
            waiting.grant();
        } finally {
            store.redis.command("CONFIG", "SET", "lua-time-limit", "5000");
        }
    }

    private boolean busy() {
        try {
            store.redis.command("PING");
            return false;
        } catch (TinyRedis.ErrorReply e) {
            return e.getMessage().startsWith("BUSY");
        }
    }

    @Test
    void anOutageIsLoggedOnceAndItsEndToo() {
        try (var log = new LogCapture()) {
            Jvm jvm = jvm(server.url(), Jvm.timeout(Duration.ofMillis(300)));
            jvm.release(jvm.grant("name"));
            server.kill();
            ClientRuleTest.failure(() -> jvm.ask("name"));
            ClientRuleTest.failure(() -> jvm.ask("name"));
            server.restart();
            reopenStore();
            jvm.claim("name").grant();
            assertThat(log.warnings).hasSize(2).allSatisfy(each -> assertThat(each).contains("quarkus.redis.hosts"));
        }
    }

    @Test
    void afterTheEndItSaysSo() {
        Jvm jvm = jvm();
        Grant grant = jvm.grant("name");
        jvm.close();
        assertThat(ClientRuleTest.failure(() -> jvm.ask("name"))).hasMessageContaining("shutting down");
        assertThat(ClientRuleTest.failure(() -> jvm.release(grant))).hasMessageContaining("shutting down");
        assertThat(jvm.renew(grant).unknown()).hasSize(1);
    }

    @Test
    void aServerWithoutMemoryIsAClearFailureAtOnceButHoldsLiveOn() {
        Jvm jvm = jvm();
        Grant held = jvm.grant("held");
        store.redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            Jvm.Waiting waiting = jvm.claim("name");
            assertThat(ClientRuleTest.failure(waiting::grant)).hasMessageContaining("out of memory")
                    .hasMessageContaining("quarkus.redis.hosts");
            assertThat(jvm.renew(held).renewed()).hasSize(1);
            jvm.release(held);
        } finally {
            store.redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
