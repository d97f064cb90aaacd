package io.quarkiverse.lock.redis.runtime;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;

/** Clients for single nodes of a cluster, or single sentinels, made from the configuration of the client for the whole. */
final class NodeClients implements ClusterClients {

    private static final int DEFAULT_PORT = 6379;
    private static final String NO_NODE = "none:0";

    private final String name;
    private final RedisClientConfig config;
    private final TlsConfigurationRegistry tls;
    private final ProxyConfigurationRegistry proxies;

    NodeClients(String name, RedisClientConfig config, TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies) {
        this.name = name;
        this.config = config;
        this.tls = tls;
        this.proxies = proxies;
    }

    @Override
    public List<String> seeds() {
        try {
            return addresses();
        } catch (RuntimeException e) {
            // The failure is reported when a client is made for this placeholder
            return List.of(NO_NODE);
        }
    }

    private List<String> addresses() {
        return hosts().stream().map(uri -> uri.getHost() + ":" + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort())).toList();
    }

    @Override
    public Redis client(Vertx vertx, String node) {
        return VertxRedisClientFactory.create(name, vertx, configOf(uriOf(node)), tls, proxies);
    }

    private Set<URI> hosts() {
        Optional<Set<URI>> hosts = config.hosts();
        if (hosts.isPresent()) {
            return hosts.get();
        }
        if (config.hostsProviderName().isPresent()) {
            return VertxRedisClientFactory.findProvider(config.hostsProviderName().get()).getHosts();
        }
        throw new IllegalStateException("Neither hosts nor hosts-provider-name of the Redis client " + name + " is set");
    }

    /** A cluster announces only addresses: scheme, user and the rest are the same for all nodes. */
    private URI uriOf(String node) {
        URI first = hosts().iterator().next();
        int colon = node.lastIndexOf(':');
        String host = node.substring(0, colon);
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        try {
            return new URI(first.getScheme(), first.getUserInfo(), bareIpv6 ? "[" + host + "]" : host,
                    Integer.parseInt(node.substring(colon + 1)), null, first.getQuery(), null);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("The Redis Cluster names a node " + node, e);
        }
    }

    private RedisClientConfig configOf(URI node) {
        return LockClients.with(config,
                Map.of("hosts", Optional.of(Set.of(node)), "clientType", RedisClientType.STANDALONE));
    }
}
