package io.quarkiverse.lock.zookeeper.deployment;

import static io.quarkus.devservices.common.ContainerLocator.locateContainerWithLabels;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.zookeeper.deployment.ZooKeeperDevServicesConfig.Mode;
import io.quarkus.deployment.IsDevServicesSupportedByLaunchMode;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.DevServicesComposeProjectBuildItem;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DevServicesSharedNetworkBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.builditem.Startable;
import io.quarkus.deployment.dev.devservices.DevServicesConfig;
import io.quarkus.devservices.common.ComposeLocator;
import io.quarkus.devservices.common.ContainerAddress;
import io.quarkus.devservices.common.ContainerLocator;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigUtils;

/**
 * A ZooKeeper for development and tests:
 * <ol>
 * <li>none where the application says where its own is, or does not need one;
 * <li>else, with a container runtime, the shared or composed container that is already running;
 * <li>else a new one: a container, or a server in this process.
 * </ol>
 */
@BuildSteps(onlyIf = { IsDevServicesSupportedByLaunchMode.class, DevServicesConfig.Enabled.class })
class ZooKeeperDevServicesProcessor {

    static final String CONNECT_STRING = "quarkus.lock.zookeeper.connect-string";
    private static final String PROPERTIES = "quarkus.lock.zookeeper.devservices.";

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final ContainerLocator LOCATOR = locateContainerWithLabels(ZooKeeperContainer.PORT,
            ZooKeeperContainer.LABEL);

    @BuildStep
    void start(ZooKeeperDevServicesConfig config, LockManagersBuildItem managers, OwnClientBuildItem client,
            LaunchModeBuildItem launchMode, DockerStatusBuildItem docker, DevServicesComposeProjectBuildItem compose,
            List<DevServicesSharedNetworkBuildItem> sharedNetwork, DevServicesConfig devServices,
            BuildProducer<DevServicesResultBuildItem> results) {
        if (!config.enabled() || !managers.uses(ZooKeeperLockProcessor.BACKEND) || client.present()
                || ConfigUtils.isPropertyNonEmpty(CONNECT_STRING)) {
            return;
        }
        LaunchMode mode = launchMode.getLaunchMode();
        if (!inContainer(config.mode(), docker::isContainerRuntimeAvailable)) {
            results.produce(owned(config, () -> new InProcessServer(config.port())));
            return;
        }
        if (!docker.isContainerRuntimeAvailable()) {
            LOG.warnf("No ZooKeeper was started: %smode=container, but no container runtime is usable. "
                    + "Start one, set %smode=in-process, or set %s", PROPERTIES, PROPERTIES, CONNECT_STRING);
            return;
        }
        boolean inNetwork = DevServicesSharedNetworkBuildItem.isSharedNetworkRequired(devServices, sharedNetwork);
        Optional<ContainerAddress> running = LOCATOR.locateContainer(config.serviceName(), config.shared(), mode)
                .or(() -> ComposeLocator.locateContainer(compose, List.of(ZooKeeperContainer.image(config)),
                        ZooKeeperContainer.PORT, mode, inNetwork));
        results.produce(running.map(ZooKeeperDevServicesProcessor::discovered).orElseGet(
                () -> owned(config,
                        () -> new ZooKeeperContainer(config, mode, compose.getDefaultNetworkId(), inNetwork))));
    }

    static boolean inContainer(Mode mode, BooleanSupplier containerRuntime) {
        return mode == Mode.CONTAINER || mode == Mode.AUTO && containerRuntime.getAsBoolean();
    }

    private static DevServicesResultBuildItem discovered(ContainerAddress address) {
        return DevServicesResultBuildItem.discovered()
                .name(ZooKeeperLockProcessor.FEATURE)
                .containerId(address.getId())
                .config(Map.of(CONNECT_STRING, address.getUrl()))
                .build();
    }

    private static DevServicesResultBuildItem owned(ZooKeeperDevServicesConfig config, Supplier<Startable> server) {
        return DevServicesResultBuildItem.owned()
                .feature(ZooKeeperLockProcessor.FEATURE)
                .serviceName(config.serviceName())
                .serviceConfig(config)
                .startable(server)
                .configProvider(Map.of(CONNECT_STRING, Startable::getConnectionInfo))
                .build();
    }
}
