package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import jakarta.inject.Inject;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/**
 * The migrations with the guide's configuration, in a history of their own beside the application's, which has a version 1 too.
 * Hibernate validates the named persistence unit afterwards.
 */
class MigrationTest {

    private static final Path GUIDE = Path.of("../../docs/modules/ROOT/pages/jpa.adoc");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.datasource.username", "shop")
            .overrideConfigKey("quarkus.datasource.password", "secret")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:migration;DB_CLOSE_DELAY=-1")
            .overrideConfigKey("quarkus.hibernate-orm.\"orders\".datasource", "<default>")
            .overrideConfigKey("quarkus.hibernate-orm.\"orders\".packages", "io.quarkiverse.lock.jpa.deployment")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.\"orders\".schema-management.strategy", "validate")
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "orders")
            .withApplicationRoot(jar -> jar.addAsResource(new StringAsset("CREATE TABLE stock (id INTEGER PRIMARY KEY);"),
                    "db/migration/V1__stock.sql"));

    static {
        fromTheGuide().forEach((key, value) -> APP.overrideConfigKey((String) key,
                ((String) value).replace("postgresql", "h2")));
    }

    private static Properties fromTheGuide() {
        try {
            String lines = Files.readString(GUIDE).split("(tag|end)::flyway\\[]")[1].split("----")[1];
            var properties = new Properties();
            properties.load(new StringReader(lines));
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Inject
    LockManager locks;

    @Inject
    AgroalDataSource database;

    @Test
    void fault116_eachHistoryHasItsOwnVersions() throws Exception {
        try (var connection = database.getConnection(); var statement = connection.createStatement()) {
            for (String history : List.of("flyway_schema_history", "quarkus_lock_history")) {
                var rows = statement.executeQuery("SELECT MAX(\"version\") FROM \"" + history + "\"");
                rows.next();
                assertThat(rows.getString(1)).as(history).isEqualTo("1");
            }
        }
    }

    @Test
    void migrationCreatesLockTables() {
        locks.lock("stock-7").tryAcquire(Duration.ZERO).orElseThrow().close();
        assertThat(locks.inspect("stock-7")).isEmpty();
    }
}
