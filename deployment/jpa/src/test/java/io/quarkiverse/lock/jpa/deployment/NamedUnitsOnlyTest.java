package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** All persistence units of the application are named, and none is configured for locks. */
class NamedUnitsOnlyTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.hibernate-orm.orders.datasource", "<default>")
            .overrideConfigKey("quarkus.hibernate-orm.orders.packages", Counter.class.getPackageName())
            .withApplicationRoot(jar -> jar.addClasses(Counter.class))
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.jpa.persistence-unit=<default>: no persistence unit of Hibernate ORM has this name; "
                            + "choose one of orders, or another lock backend"));

    @Test
    void applicationDoesNotBuild() {
        fail("It was built");
    }
}
