package io.quarkiverse.lock.it.zookeeper;

import io.quarkiverse.lock.it.ManagementChecks;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
@TestProfile(ManagementChecks.Operators.class)
class ManagementTest extends ManagementChecks {
}
