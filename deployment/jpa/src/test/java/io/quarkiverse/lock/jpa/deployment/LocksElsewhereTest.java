package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.persistence.EntityManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** An application that keeps its locks elsewhere has no tables for them. */
class LocksElsewhereTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:elsewhere;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "none")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .withApplicationRoot(jar -> jar.addClasses(Counter.class));

    @Inject
    LockManager locks;

    @Inject
    EntityManagerFactory persistenceUnit;

    @Test
    void otherBackendNeedsNoTables() {
        locks.lock("stock-7").acquire().close();
        assertThat(persistenceUnit.getMetamodel().getEntities()).extracting("name").containsExactly("Counter");
    }
}
