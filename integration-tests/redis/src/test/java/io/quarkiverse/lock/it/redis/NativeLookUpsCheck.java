package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.it.lookups.LookUpChecks;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** Run with the profile {@code native-sources}. On a single server, and on a cluster. */
class NativeLookUpsCheck extends LookUpChecks {

    private static RedisServer redis;
    private static RedisCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.start();
        trace("traced", Map.of("quarkus.redis.hosts", redis.url()));
        cluster = RedisCluster.start(3);
        var answer = trace("traced-cluster", Map.of("quarkus.redis.client-type", "cluster", "quarkus.redis.hosts",
                cluster.urls())).post("/locks/traced");
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(200);
    }

    @Override
    protected Set<String> needed() {
        return Set.of("io/quarkiverse/lock/redis/release.lua");
    }

    @AfterAll
    static void stopServers() {
        redis.close();
        cluster.close();
    }
}
