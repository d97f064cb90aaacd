package io.quarkiverse.lock.it.zookeeper;

import io.quarkiverse.lock.it.OrderChecks;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
class OrderTest extends OrderChecks {
}
