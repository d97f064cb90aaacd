package io.quarkiverse.lock.redis.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.runtime.RedisLockConfig.AfterFailover;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.redis.client.RedisClientType;

/** Redis clients that keep no locks. */
class RefusedClientsTest {

    private static final List<RedisClientType> TYPES = List.of(RedisClientType.STANDALONE, RedisClientType.SENTINEL,
            RedisClientType.CLUSTER);

    private static <T> T config(Class<T> type, Map<String, Object> settings) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (proxy, method, args) -> settings.get(method.getName())));
    }

    private static RedisClientConfig client(RedisClientType type, boolean active, String host) {
        return config(RedisClientConfig.class,
                Map.of("active", active, "clientType", type, "hosts", Optional.of(Set.of(URI.create(host))),
                        "hostsProviderName", Optional.empty(), "maxWaitingHandlers", 2048, "role", Optional.empty(),
                        "masterName", Optional.empty()));
    }

    private static LockBackend create(String name, @Nullable List<String> quorum, Map<String, RedisClientConfig> clients) {
        var locks = config(RedisLockConfig.class,
                Map.of("keyPrefix", "lock:", "operationTimeout", Duration.ofSeconds(2), "retention", Duration.ofSeconds(60),
                        "longestLease", Duration.ofSeconds(30), "replicaAcks", 0, "afterFailover", AfterFailover.AT_ONCE));
        var build = config(RedisLockBuildConfig.class, Map.of("clientName", name, "quorum", Optional.ofNullable(quorum)));
        var redis = config(RedisConfig.class, Map.of("clients", clients));
        return new RedisLockBackendProvider(locks, build, redis, null, null).create("shop", "somebody");
    }

    private static LockBackend quorum(RedisClientConfig a, RedisClientConfig b, RedisClientConfig c) {
        return create("<default>", List.of("a", "b", "c"), Map.of("a", a, "b", b, "c", c));
    }

    @Test
    @Fault(525)
    void fault525_aClientThatIsSwitchedOffKeepsNoLocks() {
        for (RedisClientType type : TYPES) {
            assertThat(create("orders", null, Map.of("orders", client(type, true, "redis://r:1")))).as("%s", type).isNotNull();
            assertThatThrownBy(() -> create("orders", null, Map.of("orders", client(type, false, "redis://r:1"))))
                    .as("%s", type).isInstanceOf(ConfigurationException.class).hasMessageContaining("Locks cannot be taken")
                    .hasMessageContaining("quarkus.redis.orders.active=false")
                    .hasMessageContaining("quarkus.lock.enabled=false")
                    .hasMessageContaining("quarkus.lock.redis.client-name");
        }
    }

    @Test
    @Fault(525)
    void fault525_aClientThatIsSwitchedOffBelongsToNoQuorum() {
        assertThatThrownBy(() -> quorum(client(RedisClientType.STANDALONE, true, "redis://a:1"),
                client(RedisClientType.STANDALONE, false, "redis://b:1"),
                client(RedisClientType.STANDALONE, true, "redis://c:1"))).isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("quarkus.redis.b.active=false").hasMessageContaining("quarkus.lock.enabled=false")
                .hasMessageContaining("quarkus.lock.redis.quorum");
    }
}
