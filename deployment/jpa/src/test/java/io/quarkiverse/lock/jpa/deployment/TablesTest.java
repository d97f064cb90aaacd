package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.persistence.EntityManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** {@code create-table} creates the tables if nothing else does. */
class TablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:tables;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "none")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Inject
    EntityManagerFactory persistenceUnit;

    @Test
    void tablesAreCreatedAtStartup() {
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            assertThat(locks.inspect("stock-7").orElseThrow().holders()).singleElement()
                    .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(hold.fencingToken()));
        }
    }

    @Test
    void tablesAreEntitiesOfPersistenceUnit() {
        assertThat(persistenceUnit.getMetamodel().getEntities()).extracting("name").containsExactlyInAnyOrder("QuarkusLockRow",
                "QuarkusLockClaimRow");
    }
}
