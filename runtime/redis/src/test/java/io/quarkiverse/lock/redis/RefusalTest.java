package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The server answers with a temporary or a permanent error. */
class RefusalTest extends RedisTest {

    @Test
    @Fault(27)
    void fault27_replicaIsRetriedUntilPromoted() {
        Jvm jvm = jvm(server.url(), RedisLockOptions.STANDARD).listening();
        jvm.release(jvm.grant("name"));
        try (RedisServer master = RedisServer.start()) {
            store.redis.command("REPLICAOF", master.host(), "" + master.port());
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused", SOON, () -> waiting.claim.trouble() != null
                    && waiting.claim.trouble().getMessage().contains("replica"));
            // A request made while connections are reopened gets no reply, and its failure says only that
            Await.until("who asks is told why", SOON, () -> failure(() -> jvm.ask("name")).getMessage().contains("replica"));
            assertThat(failure(() -> jvm.ask("name"))).hasMessageContaining("quarkus.redis.hosts");
            assertThat(waiting.answer).isNotDone();
            store.redis.command("REPLICAOF", "NO", "ONE");
            waiting.grant();
            Await.until("it has looked for the master with new connections", SOON, () -> jvm.told.rechecks.get() > 0);
        }
    }

    @Test
    @Fault(27)
    void fault27_serverBusyWithScriptIsRetried() {
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
    @Fault(27)
    void fault27_replicaWithoutMasterIsRetried() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        store.redis.command("CONFIG", "SET", "replica-serve-stale-data", "no");
        store.redis.command("REPLICAOF", "127.0.0.1", "1");
        try {
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused", SOON, () -> waiting.claim.trouble() != null
                    && waiting.claim.trouble().getMessage().contains("MASTERDOWN"));
            assertThat(waiting.answer).isNotDone();
            store.redis.command("REPLICAOF", "NO", "ONE");
            waiting.grant();
        } finally {
            store.redis.command("REPLICAOF", "NO", "ONE");
            store.redis.command("CONFIG", "SET", "replica-serve-stale-data", "yes");
        }
    }

    @Test
    @Fault(27)
    void fault27_loadingServerIsRetriedAndHoldSurvives() {
        // While loading, it answers only after each 2 MiB
        try (RedisServer loading = RedisServer.start("save 3600 1", "rdbcompression no", "key-load-delay 50000")) {
            try (TinyRedis redis = loading.connect()) {
                for (int i = 0; i < 40; i++) {
                    redis.command("SET", "ballast-" + i, "x".repeat(300_000));
                }
            }
            Jvm jvm = jvm(loading.url(), RedisLockOptions.STANDARD);
            Grant held = jvm.grant("held");
            loading.stop();
            var restarting = CompletableFuture.runAsync(loading::restart, task -> new Thread(task).start());
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused", SOON, () -> waiting.claim.trouble() != null
                    && waiting.claim.trouble().getMessage().contains("LOADING"));
            assertThat(waiting.answer).isNotDone();
            waiting.grant();
            Jvm.get(restarting);
            assertThat(jvm.renew(held).renewed()).hasSize(1);
        }
    }

    @Test
    @Fault(453)
    void fault453_claimAndWithdrawalRetryServerThatCannotSave() throws IOException {
        try (RedisServer full = RedisServer.start("save 3600 1"); TinyRedis there = full.connect()) {
            Jvm jvm = jvm(full.url(), RedisLockOptions.STANDARD);
            Grant held = jvm.grant("held");
            Jvm.Waiting leaving = jvm.claim("held");
            String place = "w:" + leaving.claim.token();
            Await.until("it is queued", SOON, () -> there.list("HKEYS", "lock:1:{test:held}").contains(place));
            Path inTheWay = Files.createDirectory(full.directory().resolve("dump.rdb"));
            save(there, "err");
            leaving.cancel();
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is refused, and the withdrawal before it", SOON, () -> waiting.claim.trouble() != null
                    && waiting.claim.trouble().getMessage().contains("MISCONF"));
            assertThat(jvm.renew(held).unknown()).hasSize(1);
            assertThat(waiting.answer).isNotDone();

            Files.delete(inTheWay);
            save(there, "ok");
            waiting.grant();
            Await.until("it is withdrawn", SOON, () -> !there.list("HKEYS", "lock:1:{test:held}").contains(place));
            assertThat(jvm.renew(held).renewed()).hasSize(1);
        }
    }

    private static void save(TinyRedis server, String outcome) {
        server.command("BGSAVE");
        Await.until("the outcome of the save is " + outcome, SOON, () -> "0".equals(server.info("rdb_bgsave_in_progress"))
                && outcome.equals(server.info("rdb_last_bgsave_status")));
    }

    @Test
    void outOfMemoryFailsClaimsAtOnceButHoldsSurvive() {
        Jvm jvm = jvm();
        Grant held = jvm.grant("held");
        store.withoutMemory(() -> {
            Jvm.Waiting waiting = jvm.claim("name");
            assertThat(failure(waiting::grant)).hasMessageContaining("out of memory")
                    .hasMessageContaining("quarkus.redis.hosts");
            assertThat(jvm.renew(held).renewed()).hasSize(1);
            jvm.release(held);
        });
    }
}
