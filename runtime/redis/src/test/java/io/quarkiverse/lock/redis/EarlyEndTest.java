package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The server ends a grant too early because its clock jumps or its memory is full. */
class EarlyEndTest extends RedisTest {

    private static final Duration LEASE = Duration.ofSeconds(9);
    /** Before the renewal after the next. */
    private static final Duration NEXT_RENEWAL = LEASE.dividedBy(3).plusMillis(2_500);

    @Test
    @Fault(19)
    void fault19_nextRenewalDetectsEarlyKeyExpiry() {
        LockHandle hold = hold();
        store.redis.command("PEXPIRE", Store.KEY, "0"); // immediately: the recheck after subscribing may renew it
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(NEXT_RENEWAL);
        assertThat(hold.isValid()).isFalse();
        assertThat(store.redis.keys("lock:1:*")).as("not recreated").isEmpty();
        assertSuccessor(hold);
    }

    @Test
    @Fault(19)
    void fault19_nextHolderAfterEarlyExpiryHasGreaterToken() {
        LockHandle hold = hold();
        store.expire(store.hash().keySet().stream().filter(field -> field.startsWith("h:")).findFirst().orElseThrow());
        // Now there are two holders: no lease-based lock prevents that, but a store that compares tokens does
        assertSuccessor(hold);
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(NEXT_RENEWAL);
    }

    @Test
    @Fault(20)
    void fault20_tokensIncreaseAfterServerClockIsSetBack() {
        LockManager locks = locks();
        long last;
        try (LockHandle hold = locks.lock("name").acquire()) {
            last = hold.fencingToken();
        }
        // As after a clock was set back by a year
        long ahead = Long.parseLong(store.field("f")) + Duration.ofDays(365).toNanos() / 1_000;
        store.redis.command("HSET", Store.KEY, "f", "" + ahead);
        for (int i = 1; i <= 3; i++) {
            try (LockHandle hold = locks().lock("name").acquire()) {
                assertThat(hold.fencingToken()).isGreaterThan(last);
                last = hold.fencingToken();
                assertThat(store.fence()).isEqualTo(ahead + i);
            }
        }
    }

    @Test
    @Fault(31)
    void fault31_nextRenewalDetectsEviction() {
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName()); TinyRedis redis = server.connect()) {
            redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
            LockHandle hold = hold();
            Await.until("it is warned about", SOON, () -> log.messages().stream()
                    .anyMatch(each -> each.contains("maxmemory-policy volatile-ttl")));
            redis.command("CONFIG", "SET", "maxmemory", "3mb");
            try {
                // The lock is the only key with an expiry, so it is evicted first; then nothing is left to evict
                for (int i = 0; redis.number("EXISTS", Store.KEY) == 1; i++) {
                    fill(redis, "ballast-" + i);
                }
            } finally {
                redis.command("CONFIG", "SET", "maxmemory", "0");
                redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
            }
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(NEXT_RENEWAL);
            assertSuccessor(hold);
        }
    }

    private static void fill(TinyRedis redis, String key) {
        try {
            redis.command("SET", key, "x".repeat(10_000));
        } catch (TinyRedis.ErrorReply full) {
            assertThat(full).hasMessageContaining("OOM");
        }
    }

    private LockHandle hold() {
        return locks().lock("name", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
    }

    private void assertSuccessor(LockHandle hold) {
        try (LockHandle next = locks().lock("name").acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
        }
    }

}
