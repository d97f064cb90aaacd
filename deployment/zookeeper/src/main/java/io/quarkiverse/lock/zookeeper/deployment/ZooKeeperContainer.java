package io.quarkiverse.lock.zookeeper.deployment;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import io.quarkus.deployment.builditem.Startable;
import io.quarkus.devservices.common.ConfigureUtil;
import io.quarkus.runtime.LaunchMode;

/** A ZooKeeper in a container. */
final class ZooKeeperContainer extends GenericContainer<ZooKeeperContainer> implements Startable {

    static final int PORT = 2181;
    static final String LABEL = "quarkus-dev-service-zookeeper";

    private final OptionalInt fixedPort;
    private final boolean inNetwork;
    private final String hostInNetwork;

    /** @param inNetwork whether the application is in a container too, and reaches this one in their common network */
    ZooKeeperContainer(ZooKeeperDevServicesConfig config, LaunchMode mode, @Nullable String network, boolean inNetwork) {
        super(DockerImageName.parse(image(config)));
        this.fixedPort = config.port();
        this.inNetwork = inNetwork;
        this.hostInNetwork = ConfigureUtil.configureNetwork(this, network, inNetwork, "zookeeper");
        withEnv(config.containerEnv());
        ConfigureUtil.configureSharedServiceLabel(this, mode, LABEL, config.serviceName());
    }

    static String image(ZooKeeperDevServicesConfig config) {
        return config.imageName().orElseGet(() -> ConfigureUtil.getDefaultImageNameFor("zookeeper"));
    }

    @Override
    protected void configure() {
        super.configure();
        if (inNetwork) {
            return;
        }
        if (fixedPort.isPresent()) {
            addFixedExposedPort(fixedPort.getAsInt(), PORT);
        } else {
            addExposedPort(PORT);
        }
    }

    @Override
    public String getConnectionInfo() {
        return inNetwork ? hostInNetwork + ":" + PORT : getHost() + ":" + getMappedPort(PORT);
    }

    @Override
    public void close() {
        super.close();
    }
}
