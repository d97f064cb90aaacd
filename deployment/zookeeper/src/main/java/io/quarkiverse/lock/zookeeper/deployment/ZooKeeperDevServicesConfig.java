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

/** The ZooKeeper that is started for development and tests. */
@ConfigMapping(prefix = "quarkus.lock.zookeeper.devservices")
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
public interface ZooKeeperDevServicesConfig {

    /** What the server runs in. */
    enum Mode {
        /** In a container where a container runtime is usable, else in the process that builds the application. */
        AUTO,
        /** In a container. */
        CONTAINER,
        /** In the process that builds the application: needs nothing, and keeps nothing. */
        IN_PROCESS
    }

    /**
     * Whether to start a ZooKeeper in dev mode and in tests. None is started when
     * {@code quarkus.lock.zookeeper.connect-string} is set, when no lock manager uses ZooKeeper, or when the application has a
     * {@code CuratorFramework} bean of its own.
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * What it runs in: {@code container}, {@code in-process}, or {@code auto} for a container where a container runtime is
     * usable and the process itself elsewhere.
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
     * Whether applications in dev mode share one container: that of an application that was started before with the same
     * {@code service-name} is used instead of a new one. A server in the process is never shared.
     */
    @WithDefault("true")
    boolean shared();

    /** The value of the label {@code quarkus-dev-service-zookeeper} of a shared container. */
    @WithDefault("zookeeper")
    String serviceName();

    /** Environment variables for the container. */
    @ConfigDocMapKey("environment-variable-name")
    Map<String, String> containerEnv();
}
