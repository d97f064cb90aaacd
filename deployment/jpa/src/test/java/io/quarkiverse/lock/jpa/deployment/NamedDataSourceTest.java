package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Messages name the data source of the locks' persistence unit, even if it is configured without quotes. */
class NamedDataSourceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.shop.db-kind", "h2")
            .overrideConfigKey("quarkus.hibernate-orm.orders.datasource", "shop")
            .overrideConfigKey("quarkus.hibernate-orm.orders.packages", Counter.class.getPackageName())
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "orders")
            .overrideRuntimeConfigKey("quarkus.datasource.shop.jdbc.url", "jdbc:h2:mem:named;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.orders.schema-management.strategy", "none")
            .withApplicationRoot(jar -> jar.addClasses(Counter.class))
            .assertException(failure -> assertThat(failure).hasStackTraceContaining("Locks cannot be taken")
                    .hasStackTraceContaining("(quarkus.datasource.\"shop\".*)"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
