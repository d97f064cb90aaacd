package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The server forgets its scripts. */
class ScriptCacheTest extends RedisTest {

    @Test
    @Fault(30)
    void fault30_forgottenScriptsAreSentAgain() {
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
            for (int i = 0; i < Scale.times(200, 20); i++) {
                var all = new ArrayList<Jvm.Waiting>();
                for (int n = 0; n < 20; n++) {
                    all.add(jvm.claim("name-" + n, n % 2 == 0));
                }
                var released = new ArrayList<CompletableFuture<Void>>();
                for (Jvm.Waiting each : all) {
                    Grant grant = each.grant();
                    assertThat(jvm.renew(grant).renewed()).hasSize(1);
                    released.add(jvm.backend.release(grant).subscribeAsCompletionStage());
                }
                released.forEach(Jvm::get);
            }
        } finally {
            stop.set(true);
            Jvm.get(flusher);
        }
        Await.until("all are released", SOON, () -> store.redis.keys("*").stream()
                .allMatch(key -> store.redis.list("HKEYS", key).equals(List.of("f"))));
    }
}
