package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** An application without a connect string does not start. */
class NoConnectStringTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("quarkus.lock.zookeeper.connect-string is not set"))
            .withEmptyApplication();

    @Test
    void doesNotStart() {
        fail("It started");
    }
}
