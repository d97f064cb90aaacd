package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;

import org.hibernate.SessionFactory;
import org.hibernate.boot.model.naming.Identifier;
import org.hibernate.boot.model.naming.PhysicalNamingStrategyStandardImpl;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.jdbc.env.spi.JdbcEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.testkit.server.H2Database;

/** A persistence unit whose naming is not the usual one. */
@Timeout(120)
class MappedNamesTest {

    private static SessionFactory sessions(Consumer<Configuration> naming) {
        Configuration configuration = new Configuration().addAnnotatedClass(LockRow.class)
                .addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect", "org.hibernate.dialect.H2Dialect")
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false");
        naming.accept(configuration);
        return configuration.buildSessionFactory();
    }

    private static Schema schema(AgroalDataSource pool, SessionFactory sessions) {
        return new Schema(LockDatabase.of(pool, sessions, null, Databases.OPTIONS));
    }

    private static AgroalDataSource pool(H2Database server) {
        return Databases.pool(server, server.url(), 2);
    }

    private static Consumer<Configuration> names(String tablePrefix, String columnPrefix) {
        return configuration -> configuration.setPhysicalNamingStrategy(new PhysicalNamingStrategyStandardImpl() {

            @Override
            public Identifier toPhysicalTableName(Identifier name, JdbcEnvironment environment) {
                return Identifier.toIdentifier(tablePrefix + name.getText());
            }

            @Override
            public Identifier toPhysicalColumnName(Identifier name, JdbcEnvironment environment) {
                return Identifier.toIdentifier(columnPrefix + name.getText());
            }
        });
    }

    @Test
    void customTableNamesAreSupported() throws Exception {
        try (var server = new H2Database(); var pool = pool(server); var sessions = sessions(names("t_", ""))) {
            Schema schema = schema(pool, sessions);
            schema.create();
            assertThat(schema.check()).isTrue();
        }
    }

    @Test
    void customColumnNamesAreRejected() throws Exception {
        try (var server = new H2Database(); var pool = pool(server); var sessions = sessions(names("", "c_"))) {
            assertThatThrownBy(() -> schema(pool, sessions)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("quarkus_lock", "c_fence", "quarkus.hibernate-orm.physical-naming-strategy",
                            "quarkus.lock.jpa.persistence-unit");
        }
    }

    private static void quotes(Configuration configuration) {
        configuration.setProperty("hibernate.globally_quoted_identifiers", "true");
    }

    @Test
    void quotedNamesRequireTablesCreatedByLocks() throws Exception {
        try (var server = Databases.withTables(new H2Database()); // as Flyway creates them
                var pool = pool(server);
                var sessions = sessions(MappedNamesTest::quotes)) {
            Schema schema = schema(pool, sessions);
            assertThatThrownBy(schema::check).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("quarkus.hibernate-orm.quote-identifiers.strategy",
                            "quarkus.lock.jpa.create-table=true");
            schema.create();
            assertThat(schema.check()).isTrue();
        }
    }

    @Test
    void quotedColumnsCreatedByHibernateAreReported() throws Exception {
        try (var server = new H2Database();
                var pool = pool(server);
                var sessions = sessions(configuration -> {
                    quotes(configuration);
                    configuration.setProperty("hibernate.connection.url", server.url())
                            .setProperty("hibernate.connection.username", server.user())
                            .setProperty("hibernate.connection.password", server.password())
                            .setProperty("hibernate.hbm2ddl.auto", "create");
                })) {
            Schema schema = schema(pool, sessions);
            assertThatThrownBy(schema::check).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("quarkus.hibernate-orm.quote-identifiers.strategy")
                    .hasMessageNotContaining("earlier version");
        }
    }
}
