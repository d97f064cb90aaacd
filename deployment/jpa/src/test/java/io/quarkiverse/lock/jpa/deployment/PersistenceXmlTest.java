package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.persistence.EntityManagerFactory;

import org.hibernate.cfg.SchemaToolingSettings;
import org.hibernate.tool.schema.internal.DefaultSchemaFilterProvider;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.hibernate.orm.PersistenceUnit;
import io.quarkus.test.QuarkusUnitTest;

/** The locks' persistence unit may come from a {@code persistence.xml} that lists their entities. */
class PersistenceXmlTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "orders")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:xml;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
            .withApplicationRoot(jar -> jar.addAsManifestResource(new StringAsset("""
                    <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
                      <persistence-unit name="orders" transaction-type="JTA">
                        <class>io.quarkiverse.lock.jpa.table.LockRow</class>
                        <class>io.quarkiverse.lock.jpa.table.LockClaimRow</class>
                        <properties>
                          <property name="hibernate.dialect" value="org.hibernate.dialect.H2Dialect"/>
                          <property name="hibernate.hbm2ddl.schema_filter_provider"
                              value="org.hibernate.tool.schema.internal.DefaultSchemaFilterProvider"/>
                        </properties>
                      </persistence-unit>
                    </persistence>
                    """), "persistence.xml"));

    @Inject
    LockManager locks;

    @Inject
    @PersistenceUnit("orders")
    EntityManagerFactory unit;

    @Test
    void persistenceXmlUnitStoresLocks() {
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void persistenceXmlUnitKeepsItsSchemaFilter() {
        assertThat(unit.getProperties()).containsEntry(SchemaToolingSettings.HBM2DDL_FILTER_PROVIDER,
                DefaultSchemaFilterProvider.class.getName());
    }
}
