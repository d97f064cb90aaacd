package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A chosen client must exist. */
class UnknownClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.zookeeper.client-name", "locks")
            .assertException(failure -> assertThat(failure).hasMessageContaining(
                    "quarkus.lock.zookeeper.client-name=locks, but the application has no CuratorFramework bean"))
            .withEmptyApplication();

    @Test
    void doesNotBuild() {
        fail("It was built");
    }
}
