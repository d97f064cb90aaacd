package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

import javax.sql.DataSource;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Locks can be switched off while their database is not ready for queries. */
class SwitchedOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:off;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "none")
            .overrideRuntimeConfigKey("quarkus.lock.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Inject
    DataSource database;

    @Test
    @Fault(382)
    void fault382_disabledLocksDoNotTouchTheDatabase() throws SQLException {
        try (Connection connection = database.getConnection();
                ResultSet tables = connection.getMetaData().getTables(null, "PUBLIC", null, null)) {
            assertThat(tables.next()).as("a table").isFalse();
        }
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
