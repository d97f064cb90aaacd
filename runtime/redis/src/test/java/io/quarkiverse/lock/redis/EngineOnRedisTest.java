package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The engine and the backend together, as in an application. */
class EngineOnRedisTest extends RedisTest {

    @Test
    void noIncrementIsLost() {
        var highest = new AtomicLong();
        var done = new ArrayList<CompletableFuture<Void>>();
        for (int jvm = 0; jvm < 3; jvm++) {
            LockManager locks = locks();
            for (int thread = 0; thread < 3; thread++) {
                done.add(CompletableFuture.runAsync(() -> {
                    try (TinyRedis redis = server.connect()) {
                        for (int i = 0; i < 100; i++) {
                            try (LockHandle hold = locks.lock("counter").acquire()) {
                                String value = redis.text("GET", "counter");
                                assertThat(highest.getAndSet(hold.fencingToken())).isLessThan(hold.fencingToken());
                                redis.command("SET", "counter", "" + (value == null ? 1 : Integer.parseInt(value) + 1));
                                assertThat(hold.isValid()).isTrue();
                            }
                        }
                    }
                }, task -> new Thread(task).start()));
            }
        }
        assertThat(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))).succeedsWithin(LONG);
        assertThat(store.redis.text("GET", "counter")).isEqualTo("900");
        Await.until("nothing is left", SOON,
                () -> store.redis.list("HKEYS", "lock:1:{test:counter}").equals(java.util.List.of("f")));
    }

    @Test
    void timedOutAcquireNamesTheHolder() {
        LockManager holder = locks();
        LockManager other = locks();
        try (LockHandle hold = holder.lock("name").acquire()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(other.lock("name").tryAcquire(Duration.ofSeconds(2))).isEmpty();
            assertThatThrownBy(() -> other.lock("name",
                    io.quarkiverse.lock.LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(2))).acquire())
                    .isInstanceOf(LockBusyException.class).hasMessageContaining("somebody for");
        }
        awaitFields("f");
    }

    @Test
    void holderLearnsOfTotalDataLoss() {
        LockManager locks = locks();
        LockHandle hold = locks.lock("name").acquire();
        store.redis.command("FLUSHALL");
        // A lost connection triggers a recheck.
        store.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        Await.until("it is lost", SOON, () -> !hold.isValid());
        hold.close();
        assertThat(store.redis.keys("*name*")).isEmpty();
    }
}
