package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** Locks need only the data source's dev service, where their tables are created. Needs a container engine. */
class DatabaseDevServiceCheck {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .overrideConfigKey("quarkus.datasource.db-kind", "postgresql")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withEmptyApplication();

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String url;

    @Inject
    LockManager locks;

    @Inject
    AgroalDataSource data;

    @Test
    void devServiceStoresTheLocks() throws Exception {
        assertThat(url).startsWith("jdbc:postgresql:");
        try (LockHandle hold = locks.lock("stock-7").acquire();
                var connection = data.getConnection();
                var rows = connection.createStatement()
                        .executeQuery("SELECT fence FROM quarkus_lock WHERE token IS NOT NULL")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getLong(1)).isEqualTo(hold.fencingToken() / 1024);
        }
    }
}
