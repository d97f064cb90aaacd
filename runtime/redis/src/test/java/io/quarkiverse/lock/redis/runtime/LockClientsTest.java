package io.quarkiverse.lock.redis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.vertx.redis.client.RedisReplicas;
import io.vertx.redis.client.RedisRole;

/** What lock connections take from the client's configuration. Its own connections may serve other purposes. */
class LockClientsTest {

    private static RedisClientConfig config(Map<String, Object> settings) {
        return (RedisClientConfig) Proxy.newProxyInstance(RedisClientConfig.class.getClassLoader(),
                new Class<?>[] { RedisClientConfig.class }, (proxy, method, args) -> settings.get(method.getName()));
    }

    /** The application may read from replicas. */
    @Test
    void lockClientsConnectToTheMaster() {
        var read = config(
                Map.of("role", Optional.of(RedisRole.REPLICA), "replicas", Optional.empty(), "maxWaitingHandlers", 2048));
        assertThat(LockClients.config(read).role()).contains(RedisRole.MASTER);
    }

    /**
     * Otherwise a replication client sends commands without a key to a replica, such as PUBLISH, WAIT, and the
     * query for its role.
     */
    @ParameterizedTest
    @EnumSource(RedisReplicas.class)
    @Fault(559)
    void fault559_nothingIsSentToReplicas(RedisReplicas configured) {
        var read = config(
                Map.of("role", Optional.empty(), "replicas", Optional.of(configured), "maxWaitingHandlers", 2048));
        assertThat(LockClients.config(read).replicas()).contains(RedisReplicas.NEVER);
    }

    /** Otherwise a client refuses requests, and each refusal costs the connection. */
    @Test
    void requestQueueFitsAllInFlightRequests() {
        var small = config(Map.of("role", Optional.empty(), "replicas", Optional.empty(), "maxWaitingHandlers", 10));
        assertThat(LockClients.config(small).maxWaitingHandlers()).isEqualTo(CommandConnection.IN_FLIGHT);
        var large = config(Map.of("role", Optional.empty(), "replicas", Optional.empty(), "maxWaitingHandlers", 5_000));
        assertThat(LockClients.config(large).maxWaitingHandlers()).isEqualTo(5_000);
    }

    @Test
    void otherSettingsAreKept() {
        var named = config(Map.of("maxWaitingHandlers", 10, "clientName", Optional.of("orders")));
        assertThat(LockClients.config(named).clientName()).contains("orders");
    }
}
