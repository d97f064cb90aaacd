package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Locks run their statements outside transactions: if the data source forbids that, the application does not start. */
class StrictDataSourceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:strict;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.transaction-requirement", "strict")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining(
                    "quarkus.datasource.jdbc.transaction-requirement=strict")
                    .hasStackTraceContaining("quarkus.lock.jpa.persistence-unit"));

    @Test
    @Fault(418)
    void fault418_doesNotStart() {
        fail("It has started");
    }
}
