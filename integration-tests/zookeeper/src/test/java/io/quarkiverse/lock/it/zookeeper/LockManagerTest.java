package io.quarkiverse.lock.it.zookeeper;

import io.quarkiverse.lock.it.LockManagerChecks;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
class LockManagerTest extends LockManagerChecks {

    /** The session allows 12.3 s. */
    @Override
    protected long extendedSeconds() {
        return 12;
    }
}
