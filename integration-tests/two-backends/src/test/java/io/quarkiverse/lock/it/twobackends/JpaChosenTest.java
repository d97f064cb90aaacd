package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** The database is one of the backends to choose from; a manager can still have another, and no Redis is needed. */
@FullBuild
class JpaChosenTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Counter.class))
            .overrideConfigKey("quarkus.lock.backend", "jpa")
            .overrideConfigKey("quarkus.lock.managers.here.backend", "local")
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:chosen;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true");

    @Inject
    Counter counter;

    @Inject
    LockManager everywhere;

    @Inject
    @LockManagerName("here")
    LockManager here;

    @Inject
    AgroalDataSource data;

    @Inject
    Instance<LockBackendProvider> providers;

    @Test
    void configuredBackendIsUsed() throws SQLException {
        assertThat(providers.stream().map(LockBackendProvider::name)).contains("jpa").doesNotContain("redis");
        assertThat(counter.next()).isEqualTo(1);
        assertThat(rows("counter")).isEqualTo(1);
    }

    @Test
    void managerKeepsItsOwnBackend() throws SQLException {
        try (var local = here.lock("door").acquire();
                var shared = everywhere.lock("gate").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(here.lock("door").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(rows("door")).isZero();
            assertThat(rows("gate")).isEqualTo(1);
            assertThat(local.isValid()).isTrue();
            assertThat(shared.isValid()).isTrue();
        }
    }

    private int rows(String name) throws SQLException {
        try (var connection = data.getConnection();
                var rows = connection.createStatement()
                        .executeQuery("SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '%" + name + "'")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
