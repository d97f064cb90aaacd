package io.quarkiverse.lock.redis.runtime;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.vertx.redis.client.RedisReplicas;
import io.vertx.redis.client.RedisRole;

/**
 * The configuration of a Redis client as the connections of locks need it. Some of its settings suit only the connections that
 * the application itself uses.
 */
final class LockClients {

    private LockClients() {
    }

    /**
     * The same with the master alone, even if the application reads from replicas, and with room for all requests that are
     * sent at once. Without that the client would refuse some of them, and each refusal would cost the connection.
     */
    static RedisClientConfig config(RedisClientConfig config) {
        if (config.maxWaitingHandlers() >= CommandConnection.IN_FLIGHT
                && config.role().filter(role -> role != RedisRole.MASTER).isEmpty()
                && config.replicas().filter(use -> use != RedisReplicas.NEVER).isEmpty()) {
            return config; // as by default
        }
        return with(config, Map.of("role", Optional.of(RedisRole.MASTER), "replicas", Optional.of(RedisReplicas.NEVER),
                "maxWaitingHandlers", Math.max(config.maxWaitingHandlers(), CommandConnection.IN_FLIGHT)));
    }

    /** A proxy, so that settings of later versions of Quarkus are passed on as well. */
    static RedisClientConfig with(RedisClientConfig config, Map<String, Object> settings) {
        return (RedisClientConfig) Proxy.newProxyInstance(RedisClientConfig.class.getClassLoader(),
                new Class<?>[] { RedisClientConfig.class }, (proxy, method, args) -> {
                    Object other = settings.get(method.getName());
                    if (other != null) {
                        return other;
                    }
                    try {
                        return method.invoke(config, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
