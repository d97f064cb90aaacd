package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A lock that ends with its transaction does not support a grace after a fail-over. */
class GraceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:pessimistic-grace;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.after-failover", "grace")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining(
                    "quarkus.lock.jpa.after-failover=grace is for quarkus.lock.jpa.strategy=lease"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
