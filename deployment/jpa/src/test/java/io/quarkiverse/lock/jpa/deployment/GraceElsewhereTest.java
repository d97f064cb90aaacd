package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** An application with grace does not start on a database that does not reveal its failovers. */
class GraceElsewhereTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:grace;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.after-failover", "grace")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining(
                    "quarkus.lock.jpa.after-failover=grace is for PostgreSQL only")
                    .hasStackTraceContaining("Set quarkus.lock.jpa.after-failover=at-once"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
