package io.quarkiverse.lock.redis.runtime;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumOptions;
import io.quarkiverse.lock.redis.quorum.QuorumServers;
import io.quarkiverse.lock.redis.runtime.RedisLockConfig.AfterFailover;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.arc.All;
import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.quarkus.vertx.VertxOptionsCustomizer;
import io.quarkus.vertx.core.runtime.config.VertxConfiguration;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;

/** Makes Redis backends from the configuration of a Quarkus Redis client. All of them share one link. */
@Singleton
public class RedisLockBackendProvider implements LockBackendProvider {

    /** The Redis client's default for it. */
    private static final String DEFAULT_MASTER = "mymaster";

    private final RedisLockConfig config;
    private final RedisLockBuildConfig buildConfig;
    private final RedisConfig redis;
    private final TlsConfigurationRegistry tls;
    private final ProxyConfigurationRegistry proxies;
    private final Vertx application;
    private final VertxConfiguration vertxConfig;
    private final List<VertxOptionsCustomizer> vertxCustomizers;

    private @Nullable RedisConnections link;
    private @Nullable QuorumServers servers;

    RedisLockBackendProvider(RedisLockConfig config, RedisLockBuildConfig buildConfig, RedisConfig redis,
            TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies, Vertx application,
            VertxConfiguration vertxConfig, @All List<VertxOptionsCustomizer> vertxCustomizers) {
        this.config = config;
        this.buildConfig = buildConfig;
        this.redis = redis;
        this.tls = tls;
        this.proxies = proxies;
        this.application = application;
        this.vertxConfig = vertxConfig;
        this.vertxCustomizers = vertxCustomizers;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public synchronized LockBackend create(String namespace, String owner) {
        if (buildConfig.quorum().isPresent()) {
            if (servers == null || servers.closed()) {
                servers = quorum(buildConfig.quorum().get());
            }
            return new QuorumLockBackend(servers, namespace, owner);
        }
        if (link == null || link.closed()) {
            link = makeLink().on(vertxOptions());
        }
        return new RedisLockBackend(link, namespace, owner);
    }

    @Override
    public String place() {
        String keys = ", key prefix '" + config.keyPrefix() + "'";
        if (buildConfig.quorum().isPresent()) {
            List<String> servers = new ArrayList<>();
            for (String name : buildConfig.quorum().get()) {
                servers.add(Addresses.of(redis.clients().get(name)));
            }
            return "a quorum of " + String.join(", ", servers) + keys;
        }
        RedisClientConfig client = redis.clients().get(buildConfig.clientName());
        return (client.clientType() == RedisClientType.SENTINEL
                ? "the master '" + client.masterName().orElse(DEFAULT_MASTER) + "' of the sentinels "
                : "") + Addresses.of(client) + keys;
    }

    private VertxOptions vertxOptions() {
        return ApplicationVertx.options(application, vertxConfig, vertxCustomizers);
    }

    private RedisConnections makeLink() {
        String client = buildConfig.clientName();
        RedisClientConfig configured = redis.clients().get(client);
        checkActive(client, configured, "with quarkus.lock.redis.client-name");
        checkSockets(client, configured);
        RedisClientConfig clientConfig = LockClients.config(configured);
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
            var sentinels = new NodeClients(client, clientConfig, tls, proxies).sentinels();
            return RedisConnections.toMaster(options, clients,
                    new Sentinels(clientConfig.masterName().orElse(DEFAULT_MASTER), sentinels));
        }
        return RedisConnections.to(options, clients);
    }

    private QuorumServers quorum(List<String> names) {
        String property = "quarkus.lock.redis.quorum=" + String.join(",", names);
        if (config.replicaAcks() > 0) {
            throw new ConfigurationException(property + " has no replicas that could acknowledge a lock: remove "
                    + "quarkus.lock.redis.replica-acks=" + config.replicaAcks());
        }
        if (config.afterFailover() == AfterFailover.GRACE) {
            throw new ConfigurationException(property + " needs no grace, as a server that restarts takes no part for a while: "
                    + "remove quarkus.lock.redis.after-failover=grace");
        }
        Map<String, String> known = new HashMap<>();
        List<QuorumServers.Member> members = new ArrayList<>();
        for (String name : names) {
            RedisClientConfig client = redis.clients().get(name);
            if (client != null) {
                checkActive(name, client, "in quarkus.lock.redis.quorum");
            }
            String hosts = RedisConfig.getPropertyName(name, "hosts");
            if (client == null || client.hosts().isEmpty() && client.hostsProviderName().isEmpty()) {
                throw new ConfigurationException(property + " names the Redis client '" + name + "', but " + hosts
                        + " is not set: set it to the address of a server that is independent of the others");
            }
            if (client.clientType() != RedisClientType.STANDALONE) {
                throw new ConfigurationException(property + " takes single servers: remove "
                        + RedisConfig.getPropertyName(name, "client-type"));
            }
            checkSockets(name, client);
            for (URI each : client.hosts().orElse(Set.of())) {
                String other = known.put(server(each), name);
                if (other != null && !other.equals(name)) {
                    throw new ConfigurationException(property + ": " + RedisConfig.getPropertyName(other, "hosts") + " and "
                            + hosts + " are the same server. Give each client one of its own");
                }
            }
            members.add(new QuorumServers.Member(RedisConfig.getPropertyName(name, ""),
                    vertx -> VertxRedisClientFactory.create(name, vertx, LockClients.config(client), tls, proxies)));
        }
        return QuorumServers.of(
                new QuorumOptions(config.keyPrefix(), config.operationTimeout(), config.retention(), config.longestLease()),
                members, vertxOptions());
    }

    /** With a client that is switched off, Quarkus connects to nothing; locks have connections of their own. */
    private static void checkActive(String name, RedisClientConfig client, String where) {
        if (!client.active()) {
            throw new ConfigurationException("Locks cannot be taken: the Redis client '" + name
                    + "', which is to keep them, is not active (" + RedisConfig.getPropertyName(name, "active")
                    + "=false). Set quarkus.lock.enabled=false as well, or name another one " + where);
        }
    }

    /** Otherwise the application would start, and connect in vain. */
    private void checkSockets(String name, RedisClientConfig client) {
        if (client.hosts().orElse(Set.of()).stream().noneMatch(each -> "unix".equals(each.getScheme()))) {
            return;
        }
        String problem = "Locks cannot be taken: " + RedisConfig.getPropertyName(name, "hosts") + " is a Unix domain socket";
        if (client.clientType() == RedisClientType.CLUSTER || client.clientType() == RedisClientType.SENTINEL) {
            throw new ConfigurationException(
                    problem + ", which leads to a single server only. Set redis://host:port, or remove "
                            + RedisConfig.getPropertyName(name, "client-type"));
        }
        if (!application.isNativeTransportEnabled()) {
            throw new ConfigurationException(problem + ", and Vert.x uses no native transport. Set "
                    + "quarkus.vertx.prefer-native-transport=true, and add a native transport for this platform to the "
                    + "application, such as io.netty:netty-transport-native-epoll:linux-x86_64");
        }
    }

    /** Where it listens: neither a user nor a database makes another server of it. */
    private static String server(URI address) {
        String host = address.getHost();
        if (host == null) { // a socket, or a name that is none for a URI
            return address.getRawAuthority() + address.getPath();
        }
        String name = host.toLowerCase(Locale.ROOT);
        return (name.equals("localhost") ? "127.0.0.1" : name) + ":" + NodeClients.port(address);
    }
}
