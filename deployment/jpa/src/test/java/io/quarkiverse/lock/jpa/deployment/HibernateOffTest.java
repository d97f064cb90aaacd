package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** There is no persistence unit at all. */
class HibernateOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.hibernate-orm.enabled", "false")
            .withEmptyApplication()
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.jpa.persistence-unit=<default>: the application has no persistence unit"));

    @Test
    void applicationDoesNotBuild() {
        fail("It was built");
    }
}
