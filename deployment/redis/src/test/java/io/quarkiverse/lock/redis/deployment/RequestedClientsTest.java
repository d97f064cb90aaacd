package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;

/** An application whose locks are elsewhere needs no Redis client. */
class RequestedClientsTest {

    private record Config(String clientName, Optional<List<String>> quorum) implements RedisLockBuildConfig {
    }

    private static List<String> requested(String backend, List<String> quorum) {
        var used = new LockBackendBuildItem(backend, 0, Set.of(), "Provider");
        var managers = new LockManagersBuildItem(Set.of("<default>"), new TreeMap<>(Map.of("<default>", used)), List.of(),
                List.of(used));
        var clients = new ArrayList<String>();
        new RedisLockProcessor().clients(new Config("locks", quorum.isEmpty() ? Optional.empty() : Optional.of(quorum)),
                managers, (RequestedRedisClientBuildItem client) -> clients.add(client.name));
        return clients;
    }

    @Test
    void clientsOfRedisLocksAreRequested() {
        assertThat(requested("redis", List.of())).containsExactly("locks");
        assertThat(requested("redis", List.of("a", "b", "c"))).containsExactly("a", "b", "c");
    }

    @Test
    void fault344_otherBackendsRequestNoRedisClient() {
        assertThat(requested("local", List.of())).isEmpty();
        assertThat(requested("local", List.of("a", "b", "c"))).isEmpty();
    }
}
