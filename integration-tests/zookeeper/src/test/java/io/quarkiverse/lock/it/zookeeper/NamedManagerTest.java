package io.quarkiverse.lock.it.zookeeper;

import io.quarkiverse.lock.it.NamedManagerChecks;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
class NamedManagerTest extends NamedManagerChecks {

    @Override
    protected long leaseSeconds() {
        return 5;
    }
}
