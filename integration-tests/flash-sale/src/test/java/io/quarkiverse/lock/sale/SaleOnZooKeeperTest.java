package io.quarkiverse.lock.sale;

import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** The same with the locks in ZooKeeper. */
@FullBuild
@QuarkusTest
@TestProfile(SaleOnZooKeeperTest.OnZooKeeper.class)
class SaleOnZooKeeperTest extends SaleTest {

    public static class OnZooKeeper implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.backend", "zookeeper");
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(ZooKeeperResource.class));
        }
    }
}
