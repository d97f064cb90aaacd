package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.zookeeper.deployment.ZooKeeperDevServicesConfig.Mode;

/** Where the dev service's server runs. */
class DevServiceModeTest {

    private static final BooleanSupplier NOT_ASKED = () -> {
        throw new AssertionError("Asking takes time, and logs");
    };

    @Test
    void autoModeUsesContainerIfRuntimeIsAvailable() {
        assertThat(ZooKeeperDevServicesProcessor.inContainer(Mode.AUTO, () -> true)).isTrue();
        assertThat(ZooKeeperDevServicesProcessor.inContainer(Mode.AUTO, () -> false)).isFalse();
    }

    @Test
    void explicitModeDoesNotLookForRuntime() {
        assertThat(ZooKeeperDevServicesProcessor.inContainer(Mode.CONTAINER, NOT_ASKED)).isTrue();
        assertThat(ZooKeeperDevServicesProcessor.inContainer(Mode.IN_PROCESS, NOT_ASKED)).isFalse();
    }
}
