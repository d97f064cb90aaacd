package io.quarkiverse.lock.zookeeper.deployment;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockBackendProvider;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockBuildConfig;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;

/** Offers ZooKeeper as a place for locks. */
class ZooKeeperLockProcessor {

    static final String FEATURE = "lock-zookeeper";
    static final String BACKEND = "zookeeper";

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem(FEATURE);
    }

    /** A lock has no separate lease: all locks of a JVM end with its session. */
    @BuildStep
    LockBackendBuildItem backend(ZooKeeperLockBuildConfig config) {
        return new LockBackendBuildItem(BACKEND, 90, config.nodes().features(), ZooKeeperLockBackendProvider.class.getName(),
                "quarkus.lock.zookeeper.session-timeout");
    }
}
