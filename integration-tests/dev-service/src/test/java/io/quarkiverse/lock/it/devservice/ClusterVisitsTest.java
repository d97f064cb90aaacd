package io.quarkiverse.lock.it.devservice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Needs a container engine: a cluster of three nodes. */
@QuarkusTest
@TestProfile(ClusterVisitsTest.OnCluster.class)
class ClusterVisitsTest {

    public static class OnCluster implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.redis.devservices.topology", "cluster", "quarkus.redis.devservices.enabled", "false");
        }
    }

    @Inject
    LockManager locks;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    /** Enough names for slots on every node. */
    @Test
    void locksAreSpreadOverAllNodes() {
        assertThat(hosts.split(",")).hasSize(3);
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            holds.add(locks.lock("on-cluster-" + i).acquire());
        }
        assertThat(holds).allSatisfy(hold -> assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(1)));
        assertThat(locks.lock("on-cluster-7").tryAcquire(Duration.ZERO)).isEmpty();
        holds.forEach(LockHandle::close);
    }
}
