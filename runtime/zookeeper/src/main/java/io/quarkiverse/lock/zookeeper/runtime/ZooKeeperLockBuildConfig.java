package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Optional;

import io.quarkiverse.lock.zookeeper.nodes.LockNodes;
import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks in ZooKeeper: what is fixed when the application is built. */
@ConfigMapping(prefix = "quarkus.lock.zookeeper")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface ZooKeeperLockBuildConfig {

    /**
     * The Curator recipe whose node names are used. Locks and recipes of the same kind on the same path exclude each other:
     * {@code read-write} with {@code InterProcessReadWriteLock}, {@code mutex} with {@code InterProcessMutex}. The two
     * kinds do not see each other, so all applications that share locks need the same value. {@code mutex} has no
     * {@code SHARED} locks.
     */
    @WithDefault("read-write")
    LockNodes nodes();

    /**
     * The {@code @Identifier} of the {@code CuratorFramework} bean to use. Needed only when the application has several
     * such beans.
     */
    @ConfigDocDefault("the application's CuratorFramework bean, or one made from this configuration when it has none")
    Optional<String> clientName();
}
