package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The persistence unit is switched off, but locks are not. */
class InactivePersistenceUnitTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.active", "false")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.active", "false")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining("Locks cannot be taken")
                    .hasStackTraceContaining("quarkus.lock.enabled=false")
                    .hasStackTraceContaining("quarkus.lock.jpa.persistence-unit"));

    @Test
    void inactiveUnitErrorNamesRemedies() {
        fail("It has started");
    }
}
