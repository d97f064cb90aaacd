package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** {@code create-table} creates the tables in an empty database, even if Hibernate validates the schema. */
@FullBuild
class ValidatedTablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:validated;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "validate")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Test
    void tablesAreCreatedAtStartup() {
        try (LockHandle hold = locks.lock("stock-7", LockOptions.DEFAULTS.withMode(LockMode.SHARED)).acquire()) {
            assertThat(locks.inspect("stock-7").orElseThrow().holders()).singleElement()
                    .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(hold.fencingToken()));
        }
    }
}
