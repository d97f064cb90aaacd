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

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.runtime.RedisLockConfig.AfterFailover;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisClientType;

/** Redis clients that cannot be used for locks. */
class RefusedClientsTest {

    private static final List<RedisClientType> TYPES = List.of(RedisClientType.STANDALONE, RedisClientType.SENTINEL,
            RedisClientType.CLUSTER);

    private boolean nativeTransport;

    private static <T> T config(Class<T> type, Map<String, Object> settings) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (proxy, method, args) -> settings.get(method.getName())));
    }

    private static RedisClientConfig client(RedisClientType type, boolean active, String host) {
        return config(RedisClientConfig.class,
                Map.of("active", active, "clientType", type, "hosts", Optional.of(Set.of(URI.create(host))),
                        "hostsProviderName", Optional.empty(), "maxWaitingHandlers", 2048, "role", Optional.empty(),
                        "replicas", Optional.empty(), "masterName", Optional.empty()));
    }

    private LockBackend create(String name, @Nullable List<String> quorum, Map<String, RedisClientConfig> clients) {
        var locks = config(RedisLockConfig.class,
                Map.of("keyPrefix", "lock:", "operationTimeout", Duration.ofSeconds(2), "retention", Duration.ofSeconds(60),
                        "longestLease", Duration.ofSeconds(30), "replicaAcks", 0, "afterFailover", AfterFailover.AT_ONCE));
        var build = config(RedisLockBuildConfig.class, Map.of("clientName", name, "quorum", Optional.ofNullable(quorum)));
        var redis = config(RedisConfig.class, Map.of("clients", clients));
        var vertx = config(Vertx.class, Map.of("isNativeTransportEnabled", nativeTransport));
        return new RedisLockBackendProvider(locks, build, redis, null, null, vertx, ApplicationVertxTest.config(Map.of()),
                List.of()).create("shop", "somebody");
    }

    private LockBackend quorum(RedisClientConfig a, RedisClientConfig b, RedisClientConfig c) {
        return create("<default>", List.of("a", "b", "c"), Map.of("a", a, "b", b, "c", c));
    }

    private LockBackend quorum(String a, String b) {
        return quorum(client(RedisClientType.STANDALONE, true, a), client(RedisClientType.STANDALONE, true, b),
                client(RedisClientType.STANDALONE, true, "redis://third:6379"));
    }

    @Test
    @Fault(525)
    void fault525_inactiveClientIsRejected() {
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
    void fault525_inactiveClientIsRejectedInQuorum() {
        assertThatThrownBy(() -> quorum(client(RedisClientType.STANDALONE, true, "redis://a:1"),
                client(RedisClientType.STANDALONE, false, "redis://b:1"),
                client(RedisClientType.STANDALONE, true, "redis://c:1"))).isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("quarkus.redis.b.active=false").hasMessageContaining("quarkus.lock.enabled=false")
                .hasMessageContaining("quarkus.lock.redis.quorum");
    }

    /** Even if their addresses differ otherwise. */
    @Test
    @Fault(526)
    void fault526_quorumClientsOnSameServerAreRejected() {
        assertSame("redis://r:6379/0", "redis://r:6379/1");
        assertSame("redis://r:6379", "redis://r:6379?db=1");
        assertSame("redis://r", "redis://r:6379");
        assertSame("redis://R:6379", "redis://r:6379");
        assertSame("redis://a:secret@r:6379", "rediss://r:6379");
        assertSame("redis://localhost:6379", "redis://127.0.0.1:6379");
        nativeTransport = true;
        assertSame("unix:///run/redis.sock", "unix:///run/redis.sock?db=1");
    }

    private void assertSame(String a, String b) {
        assertThatThrownBy(() -> quorum(a, b)).as("%s and %s", a, b).isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("quarkus.redis.a.hosts and quarkus.redis.b.hosts are the same server");
    }

    @Test
    void quorumOfDistinctServersIsAccepted() {
        assertThat(quorum("redis://r:6379", "redis://r:6380")).isNotNull();
        assertThat(quorum("redis://r:6379", "redis://s:6379")).isNotNull();
        assertThat(quorum("redis://[fd00::1]:6379", "redis://[fd00::2]:6379")).isNotNull();
        assertThat(quorum("redis://redis_a:6379", "redis://redis_b:6379")).as("names invalid in a URI").isNotNull();
        nativeTransport = true;
        assertThat(quorum("unix:///run/a.sock", "unix:///run/b.sock")).isNotNull();
    }

    @Test
    @Fault(529)
    void fault529_unixSocketRequiresNativeTransport() {
        var socket = client(RedisClientType.STANDALONE, true, "unix:///run/redis.sock");
        assertRefused(() -> create("orders", null, Map.of("orders", socket)), "quarkus.redis.orders.hosts",
                "quarkus.vertx.prefer-native-transport=true", "netty-transport-native-epoll");
        assertRefused(() -> quorum("redis://r:6379", "unix:///run/redis.sock"), "quarkus.redis.b.hosts",
                "quarkus.vertx.prefer-native-transport=true", "netty-transport-native-epoll");
        nativeTransport = true;
        assertThat(create("orders", null, Map.of("orders", socket))).isNotNull();
        assertThat(quorum("redis://r:6379", "unix:///run/redis.sock")).isNotNull();
    }

    /** Sentinels and cluster nodes name other servers by host and port. */
    @Test
    @Fault(529)
    void fault529_unixSocketRequiresStandaloneClient() {
        nativeTransport = true;
        for (RedisClientType type : List.of(RedisClientType.SENTINEL, RedisClientType.CLUSTER)) {
            assertRefused(() -> create("orders", null, Map.of("orders", client(type, true, "unix:///run/redis.sock"))),
                    "quarkus.redis.orders.hosts", "quarkus.redis.orders.client-type");
        }
    }

    private static void assertRefused(ThrowingCallable start, String... properties) {
        assertThatThrownBy(start).isInstanceOf(ConfigurationException.class).hasMessageContaining("Unix domain socket")
                .hasMessageContainingAll(properties);
    }
}
