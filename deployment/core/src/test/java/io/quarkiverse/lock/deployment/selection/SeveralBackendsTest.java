package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkus.test.QuarkusUnitTest;

/** Several backends and no choice: the application does not build. */
class SeveralBackendsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .addBuildChainCustomizer(FakeBackends.offer(Object.class, "redis", "zookeeper"))
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "several lock backends: redis, zookeeper; choose one with quarkus.lock.backend"));

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }
}
