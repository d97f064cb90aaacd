package io.quarkiverse.lock.deployment.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;

class BackendSelectionTest {

    private static final LockBackendBuildItem LOCAL = backend("local", 0);
    private static final LockBackendBuildItem REDIS = backend("redis", 10);
    private static final LockBackendBuildItem ZOOKEEPER = backend("zookeeper", 20);

    private static LockBackendBuildItem backend(String name, int priority) {
        return new LockBackendBuildItem(name, priority, Set.of(), name + ".Provider");
    }

    private static String choose(boolean production, String choice, LockBackendBuildItem... backends) {
        return new BackendSelection(List.of(backends), production).ofDefaultManager(Optional.ofNullable(choice)).name();
    }

    @Test
    void configurationChoosesBackend() {
        assertThat(choose(true, "zookeeper", LOCAL, REDIS, ZOOKEEPER)).isEqualTo("zookeeper");
        assertThat(choose(true, "local", LOCAL, REDIS)).isEqualTo("local");
        assertThat(choose(true, "local", LOCAL)).isEqualTo("local");
    }

    @Test
    void singleDistributedBackendNeedsNoChoice() {
        assertThat(choose(true, null, LOCAL, REDIS)).isEqualTo("redis");
        assertThat(choose(false, null, LOCAL, REDIS)).isEqualTo("redis");
    }

    @Test
    void localIsDefaultInDevelopmentAndTests() {
        assertThat(choose(false, null, LOCAL)).isEqualTo("local");
    }

    @Test
    void localMustBeChosenInProduction() {
        assertThatThrownBy(() -> choose(true, null, LOCAL)).isInstanceOf(DeploymentException.class)
                .hasMessageContaining("io.quarkiverse.lock:quarkus-lock-redis")
                .hasMessageContaining("io.quarkiverse.lock:quarkus-lock-zookeeper")
                .hasMessageContaining("quarkus.lock.backend=local");
    }

    @Test
    void severalBackendsRequireAChoice() {
        assertThatThrownBy(() -> choose(false, null, LOCAL, REDIS, ZOOKEEPER)).isInstanceOf(DeploymentException.class)
                .hasMessageContaining("zookeeper, redis;").hasMessageContaining("quarkus.lock.backend");
    }

    @Test
    void unknownBackendErrorListsKnownOnes() {
        assertThatThrownBy(() -> choose(false, "redsi", LOCAL, REDIS)).isInstanceOf(DeploymentException.class)
                .hasMessageContaining("quarkus.lock.backend is 'redsi'")
                .hasMessageContaining("choose one it has (redis), or add");
        assertThatThrownBy(() -> new BackendSelection(List.of(LOCAL), false).named("jpa", "my.orders"))
                .hasMessageContaining("quarkus.lock.managers.\"my.orders\".backend is 'jpa'");
    }

    @Test
    void duplicateBackendNamesAreRejected() {
        assertThatThrownBy(() -> choose(false, "redis", REDIS, backend("redis", 1)))
                .isInstanceOf(DeploymentException.class).hasMessageContaining("called 'redis'");
    }
}
