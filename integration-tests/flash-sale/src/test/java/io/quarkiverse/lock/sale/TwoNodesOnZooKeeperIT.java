package io.quarkiverse.lock.sale;

/** The same with the locks in ZooKeeper. */
class TwoNodesOnZooKeeperIT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.ZOOKEEPER;
    }
}
