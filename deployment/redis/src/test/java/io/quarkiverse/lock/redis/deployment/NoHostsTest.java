package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** An application without an address for Redis starts, and says what is missing when a lock is requested. */
class NoHostsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.redis.operation-timeout", "500ms")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "1s")
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Test
    void errorNamesMissingProperty() {
        assertThatThrownBy(() -> locks.lock("stock-7").acquire()).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.redis.hosts");
    }
}
