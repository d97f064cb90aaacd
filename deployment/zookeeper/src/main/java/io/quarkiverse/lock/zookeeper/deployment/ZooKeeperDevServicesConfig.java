package io.quarkiverse.lock.zookeeper.deployment;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** The ZooKeeper to start for development and tests. */
@ConfigMapping(prefix = "quarkus.lock.zookeeper.devservices")
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
public interface ZooKeeperDevServicesConfig {

    /** Where the server runs. */
    enum Mode {
        /** In a container if a container runtime is usable, otherwise in the process that builds the application. */
        AUTO,
        /** In a container. */
        CONTAINER,
        /** In the process that builds the application: needs nothing and keeps nothing. */
        IN_PROCESS
    }

    /**
     * Whether to start a ZooKeeper in dev mode and in tests. None is started when
     * {@code quarkus.lock.zookeeper.connect-string} is set, when no lock manager uses ZooKeeper, or when the application
     * has its own {@code CuratorFramework} bean.
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * Where the server runs: {@code container}, {@code in-process}, or {@code auto} for a container if a container runtime
     * is usable and the process itself otherwise.
     */
    @WithDefault("auto")
    Mode mode();

    /** The port to listen on. */
    @ConfigDocDefault("any that is free")
    OptionalInt port();

    /** The container image. */
    @ConfigDocDefault("zookeeper:3.9")
    Optional<String> imageName();

    /**
     * Whether applications in dev mode share one container: if an application with the same {@code service-name} was
     * started before, its container is used instead of a new one. An in-process server is never shared.
     */
    @WithDefault("true")
    boolean shared();

    /** The value of the {@code quarkus-dev-service-zookeeper} label of a shared container. */
    @WithDefault("zookeeper")
    String serviceName();

    /** Environment variables for the container. */
    @ConfigDocMapKey("environment-variable-name")
    Map<String, String> containerEnv();
}
