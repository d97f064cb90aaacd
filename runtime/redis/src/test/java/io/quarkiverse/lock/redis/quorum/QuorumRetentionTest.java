package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** How long the servers of a quorum remember a fence. */
@DisplayNameGeneration(FaultDisplayNames.class)
class QuorumRetentionTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final String KEY = "lock:q1:{test:name}";
    private static final Duration LEASE = Duration.ofSeconds(1);
    /** How far one clock may be ahead of the others. */
    private static final Duration AHEAD = LONGEST.minusSeconds(5);

    @Test
    @Fault(313)
    void fault313_fenceIsRetainedUntilAllClocksPassIt() {
        QuorumOptions standard = QuorumCluster.options(LONGEST);
        var options = new QuorumOptions(standard.keyPrefix(), standard.operationTimeout(), Duration.ofMillis(1), LONGEST);
        try (var cluster = new QuorumCluster(3).satOut(LONGEST);
                LockEngine engine = LockEngine
                        .builder(QuorumCluster.backend(cluster.addresses(), options, "test", "somebody")).start()) {
            LockHandle held = engine.manager(ManagerDefaults.STANDARD)
                    .lock("name", LockOptions.DEFAULTS.withLease(LEASE).withWaitFor(LONGEST)).acquire();
            held.close();

            var remembered = new ArrayList<Long>();
            for (RedisServer server : cluster.servers()) {
                try (TinyRedis redis = server.connect()) {
                    if (redis.text("HGET", KEY, "f") != null) { // one may not have been needed
                        remembered.add(redis.number("PTTL", KEY));
                    }
                }
            }
            assertThat(remembered).as("retention in ms").hasSizeGreaterThanOrEqualTo(2)
                    .allMatch(millis -> millis > AHEAD.toMillis());
        }
    }

    /** Clocks that were set back by a day leave fences that are a day ahead. */
    @Test
    @Fault(362)
    void fault362_fenceIsRetainedUntilClocksSetBackPassIt() {
        long day = Duration.ofDays(1).toMillis();
        try (var cluster = new QuorumCluster(3).satOut(LONGEST);
                LockEngine engine = LockEngine.builder(
                        QuorumCluster.backend(cluster.addresses(), QuorumCluster.options(LONGEST), "test", "somebody"))
                        .start()) {
            var lock = engine.manager(ManagerDefaults.STANDARD).lock("name",
                    LockOptions.DEFAULTS.withLease(LEASE).withWaitFor(LONGEST));
            lock.acquire().close();
            for (RedisServer server : cluster.servers()) {
                try (TinyRedis redis = server.connect()) {
                    List<String> time = redis.list("TIME");
                    redis.command("HSET", KEY, "f", (Long.parseLong(time.get(0)) * 1000 + day) + "000");
                    redis.command("PEXPIRE", KEY, "" + LONGEST.toMillis());
                }
            }
            LockHandle held = lock.acquire();
            assertRememberedFor(cluster, day);
            held.close();
            assertRememberedFor(cluster, day);
        }
    }

    private static void assertRememberedFor(QuorumCluster cluster, long millis) {
        int servers = 0;
        for (RedisServer server : cluster.servers()) {
            try (TinyRedis redis = server.connect()) {
                servers += redis.number("PTTL", KEY) > millis ? 1 : 0;
            }
        }
        assertThat(servers).as("servers that retain the fence long enough").isGreaterThanOrEqualTo(2);
    }
}
