package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.jpa.deployment.entities.Numbered;
import io.quarkiverse.lock.jpa.deployment.entities.Product;
import io.quarkus.test.QuarkusUnitTest;

/** Even if locks create their tables, Hibernate still validates the application's. */
class ValidatedEntitiesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:validated-entities;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "validate")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withApplicationRoot(jar -> jar.addClasses(Product.class, Numbered.class))
            .assertException(failure -> assertThat(failure).hasRootCauseMessage("Schema validation: missing table [Product]"));

    @Test
    void missingEntityTableFailsValidation() {
        Assertions.fail("The application has started");
    }
}
