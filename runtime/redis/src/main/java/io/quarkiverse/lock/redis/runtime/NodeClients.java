package io.quarkiverse.lock.redis.runtime;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

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
        return hosts().stream().map(uri -> uri.getHost() + ":" + port(uri)).toList();
    }

    static int port(URI server) {
        return server.getPort() < 0 ? DEFAULT_PORT : server.getPort();
    }

    @Override
    public Redis client(Vertx vertx, String node) {
        return clientAt(vertx, nodeOfCluster(hosts().iterator().next(), node));
    }

    private Redis clientAt(Vertx vertx, URI node) {
        return VertxRedisClientFactory.create(name, vertx, configOf(node), tls, proxies);
    }

    /** A client for each of the sentinels, which may have users and passwords of their own. */
    List<Function<Vertx, Redis>> sentinels() {
        try {
            return hosts().stream().<Function<Vertx, Redis>> map(uri -> vertx -> clientAt(vertx, sentinel(uri))).toList();
        } catch (RuntimeException e) {
            return List.of(vertx -> {
                throw e; // reported then
            });
        }
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
    static URI nodeOfCluster(URI configured, String node) {
        int colon = node.lastIndexOf(':');
        String host = node.substring(0, colon);
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        String user = configured.getRawUserInfo();
        try {
            return address(configured, (user == null ? "" : user + "@") + (bareIpv6 ? "[" + host + "]" : host)
                    + node.substring(colon), configured.getRawQuery());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("The Redis Cluster names a node " + node, e);
        }
    }

    /** Its own user and password, but no database: a sentinel has none, and that of the master may be in its address. */
    static URI sentinel(URI configured) {
        String query = configured.getRawQuery();
        return address(configured, configured.getRawAuthority(), query == null ? null
                : Arrays.stream(query.split("&")).filter(each -> !each.startsWith("db=")).collect(Collectors.joining("&")));
    }

    /** From raw parts: the client decodes more than {@link URI} would encode again, such as a plus sign. */
    private static URI address(URI configured, String authority, @Nullable String query) {
        return URI.create(configured.getScheme() + "://" + authority + (query == null || query.isEmpty() ? "" : "?" + query));
    }

    private RedisClientConfig configOf(URI node) {
        return LockClients.with(config,
                Map.of("hosts", Optional.of(Set.of(node)), "clientType", RedisClientType.STANDALONE));
    }
}
