package io.quarkiverse.lock.zookeeper.deployment;

import io.quarkus.builder.item.SimpleBuildItem;

/** Whether locks use a {@code CuratorFramework} bean of the application's own. */
final class OwnClientBuildItem extends SimpleBuildItem {

    private final boolean present;

    OwnClientBuildItem(boolean present) {
        this.present = present;
    }

    boolean present() {
        return present;
    }
}
