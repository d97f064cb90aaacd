package io.quarkiverse.lock.redis.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockConfig.AfterFailover;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;

/** Makes Redis backends from the configuration of a Quarkus Redis client. All of them share one link. */
@Singleton
public class RedisLockBackendProvider implements LockBackendProvider {

    /** As the Redis client calls it where nothing else is configured. */
    private static final String DEFAULT_MASTER = "mymaster";

    private final RedisLockConfig config;
    private final RedisLockBuildConfig buildConfig;
    private final RedisConfig redis;
    private final TlsConfigurationRegistry tls;
    private final ProxyConfigurationRegistry proxies;

    private @Nullable RedisConnections link;

    RedisLockBackendProvider(RedisLockConfig config, RedisLockBuildConfig buildConfig, RedisConfig redis,
            TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies) {
        this.config = config;
        this.buildConfig = buildConfig;
        this.redis = redis;
        this.tls = tls;
        this.proxies = proxies;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public synchronized LockBackend create(String namespace, String owner) {
        if (link == null || link.closed()) {
            link = makeLink();
        }
        return new RedisLockBackend(link, namespace, owner);
    }

    private RedisConnections makeLink() {
        String client = buildConfig.clientName();
        RedisClientConfig clientConfig = redis.clients().get(client);
        boolean cluster = clientConfig.clientType() == RedisClientType.CLUSTER;
        var options = new RedisLockOptions(config.keyPrefix(), config.operationTimeout(), config.retention(), cluster,
                RedisConfig.getPropertyName(client, ""), config.replicaAcks());
        if (config.afterFailover() == AfterFailover.GRACE) {
            options = options.withGrace(config.longestLease());
        }
        if (cluster) {
            return RedisConnections.toCluster(options, new NodeClients(client, clientConfig, tls, proxies));
        }
        Function<Vertx, Redis> clients = vertx -> VertxRedisClientFactory.create(client, vertx, clientConfig, tls, proxies);
        if (clientConfig.clientType() == RedisClientType.SENTINEL) {
            var nodes = new NodeClients(client, clientConfig, tls, proxies);
            List<Function<Vertx, Redis>> sentinels = new ArrayList<>();
            nodes.seeds().forEach(each -> sentinels.add(vertx -> nodes.client(vertx, each)));
            return RedisConnections.toMaster(options, clients,
                    new Sentinels(clientConfig.masterName().orElse(DEFAULT_MASTER), sentinels));
        }
        return RedisConnections.to(options, clients);
    }
}
