package io.quarkiverse.lock.sale;

import io.quarkiverse.lock.testkit.FullBuild;

/** The same with the locks in ZooKeeper. */
@FullBuild
class TwoNodesOnZooKeeperIT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.ZOOKEEPER;
    }
}
