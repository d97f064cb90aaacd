package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Without its tables an application does not start, and says what to do. */
class MissingTablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:missing;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "none")
            .withEmptyApplication()
            .assertException(failure -> {
                Throwable each = failure;
                while (each.getCause() != null && !String.valueOf(each.getMessage()).contains("Locks cannot be taken")) {
                    each = each.getCause();
                }
                assertThat(each).hasMessageContaining("quarkus_lock").hasMessageContaining("db/quarkus-lock")
                        .hasMessageContaining("quarkus.lock.jpa.create-table=true")
                        .hasMessageContaining("quarkus.datasource.");
            });

    @Test
    void isReportedAtStartup() {
        Assertions.fail("The application has started");
    }
}
