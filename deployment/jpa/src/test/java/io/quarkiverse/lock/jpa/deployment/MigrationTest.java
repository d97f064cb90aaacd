package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** The shipped file as a repeatable migration, in a named persistence unit that Hibernate validates afterwards. */
class MigrationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.\"shop\".db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.\"shop\".jdbc.url", "jdbc:h2:mem:migration;DB_CLOSE_DELAY=-1")
            .overrideConfigKey("quarkus.hibernate-orm.\"orders\".datasource", "shop")
            .overrideConfigKey("quarkus.hibernate-orm.\"orders\".packages", "io.quarkiverse.lock.jpa.deployment")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.\"orders\".schema-management.strategy", "validate")
            .overrideConfigKey("quarkus.flyway.\"shop\".locations", "db/quarkus-lock/h2")
            .overrideRuntimeConfigKey("quarkus.flyway.\"shop\".migrate-at-start", "true")
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "orders")
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Test
    void makesTheTables() {
        locks.lock("stock-7").tryAcquire(Duration.ZERO).orElseThrow().close();
        assertThat(locks.inspect("stock-7")).isEmpty();
    }
}
