package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** A ZooKeeper in a container needs no configuration. Needs a container engine. */
class ContainerDevServiceCheck {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .withApplicationRoot(jar -> jar.addClasses(Containers.class));

    @ConfigProperty(name = "quarkus.lock.zookeeper.connect-string")
    String connectString;

    @Inject
    LockManager locks;

    @Test
    void devServiceStoresTheLocks() {
        assertThat(Containers.imageAt(connectString)).isEqualTo(Containers.IMAGE);
        try (var hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
