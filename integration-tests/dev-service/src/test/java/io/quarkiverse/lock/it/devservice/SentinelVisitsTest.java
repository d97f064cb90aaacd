package io.quarkiverse.lock.it.devservice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Needs a container engine: a master, a replica and three sentinels. Shows what a developer sees when the master dies. */
@QuarkusTest
@TestProfile(SentinelVisitsTest.OnSentinel.class)
class SentinelVisitsTest {

    public static class OnSentinel implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.redis.devservices.topology", "sentinel", "quarkus.redis.devservices.enabled", "false");
        }
    }

    @Inject
    LockManager locks;

    @Inject
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void locksWorkAfterMasterFailure() {
        assertThat(hosts.split(",")).hasSize(3);
        long before;
        try (var hold = locks.lock("on-sentinel").acquire()) {
            before = hold.fencingToken();
            assertThat(redis.key().keys("*on-sentinel*")).hasSize(1);
        }
        String dead = run();
        try {
            redis.execute("SHUTDOWN", "NOSAVE");
        } catch (RuntimeException e) {
            // it no longer answers
        }
        try (var hold = locks.lock("on-sentinel", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60))).acquire()) {
            assertThat(hold.fencingToken()).isGreaterThan(before);
            assertThat(run()).isNotEqualTo(dead);
        }
    }

    private String run() {
        return redis.execute("INFO", "server").toString().lines().filter(line -> line.startsWith("run_id:")).findFirst()
                .orElseThrow();
    }
}
