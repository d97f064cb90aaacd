package io.quarkiverse.lock.redis.deployment;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.redis.deployment.RedisDevServicesConfig.Topology;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkiverse.lock.redis.runtime.RedisLockConfig.AfterFailover;
import io.quarkus.deployment.IsDevServicesSupportedByLaunchMode;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.builditem.Startable;
import io.quarkus.deployment.dev.devservices.DevServicesConfig;
import io.quarkus.devservices.common.ConfigureUtil;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;

/** A Redis of several servers for development and tests, so that a fail-over can be seen on a laptop. */
@BuildSteps(onlyIf = { IsDevServicesSupportedByLaunchMode.class, DevServicesConfig.Enabled.class })
class RedisDevServicesProcessor {

    private static final String TOPOLOGY = "quarkus.lock.redis.devservices.topology";
    /** Without these, a replaced master would go on granting, so grace refuses it; with them, a lone master grants nothing. */
    private static final String STOPS_WITHOUT_REPLICA = "--min-replicas-to-write 1 --min-replicas-max-lag 2";
    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.redis");

    @BuildStep
    Optional<DevServicesResultBuildItem> start(RedisDevServicesConfig config, RedisLockBuildConfig client,
            LockManagersBuildItem managers, DockerStatusBuildItem docker) {
        Topology topology = config.topology();
        String hosts = RedisConfig.getPropertyName(client.clientName(), "hosts");
        if (topology == Topology.SINGLE || client.quorum().isPresent() || !managers.uses(RedisLockProcessor.BACKEND)
                || setting(client.clientName(), "hosts", String.class).isPresent()) {
            return Optional.empty();
        }
        String clientType = topology.name().toLowerCase(Locale.ROOT);
        String text = TOPOLOGY + '=' + clientType;
        checkAlone(text, client.clientName());
        if (!docker.isContainerRuntimeAvailable()) {
            LOG.warnf("No Redis was started: %s needs a container runtime, and none is usable. Start one, or set %s", text,
                    hosts);
            return Optional.empty();
        }
        boolean grace = isGrace(); // now: when the container starts, the configuration may belong to another application
        return Optional.of(DevServicesResultBuildItem.owned()
                .feature(RedisLockProcessor.FEATURE)
                .serviceName(client.clientName())
                .serviceConfig(identity(config, grace))
                .startable(() -> container(config, grace))
                .configProvider(Map.of(hosts, Startable::getConnectionInfo,
                        RedisConfig.getPropertyName(client.clientName(), "client-type"), started -> clientType))
                .build());
    }

    /**
     * How a live reload, or the next test, recognizes the running servers. With sentinels, servers that lack what grace
     * requires cannot be used with grace; those of a cluster are always the same. The two do not get different names: Quarkus
     * would keep the servers of one test running beside those with the other name, and might connect to either.
     */
    static RedisDevServicesConfig identity(RedisDevServicesConfig config, boolean grace) {
        return grace && config.topology() == Topology.SENTINEL ? new WithGrace(config.topology(), config.imageName()) : config;
    }

    /** Differs from the same properties without grace, as Quarkus also compares class names. */
    private record WithGrace(Topology topology, Optional<String> imageName) implements RedisDevServicesConfig {
    }

    private static void checkAlone(String topology, String client) {
        if (setting(client, "devservices.enabled", Boolean.class).orElse(true)) {
            throw new ConfigurationException(topology + " starts servers in place of those of the Redis client's dev service: "
                    + "set " + RedisConfig.getPropertyName(client, "devservices.enabled") + "=false as well");
        }
    }

    /** A property of the client, whose name may be in quotes. */
    private static <T> Optional<T> setting(String client, String property, Class<T> type) {
        return Stream.of(client, '"' + client + '"')
                .flatMap(name -> ConfigProvider.getConfig()
                        .getOptionalValue(RedisConfig.getPropertyName(name, property), type).stream())
                .findFirst();
    }

    private static Startable container(RedisDevServicesConfig config, boolean grace) {
        String image = config.imageName().orElseGet(() -> ConfigureUtil.getDefaultImageNameFor("redis"));
        return config.topology() == Topology.SENTINEL
                ? RedisTopologyContainer.sentinel(image, grace ? STOPS_WITHOUT_REPLICA : "")
                : RedisTopologyContainer.cluster(image);
    }

    /** A run-time property, but known now, as the application is started next to it. */
    private static boolean isGrace() {
        return ConfigProvider.getConfig().getOptionalValue("quarkus.lock.redis.after-failover", AfterFailover.class)
                .orElse(AfterFailover.AT_ONCE) == AfterFailover.GRACE;
    }
}
