package io.quarkiverse.lock.jpa.deployment;

import io.quarkus.hibernate.orm.PersistenceUnitExtension;
import io.quarkus.hibernate.orm.runtime.tenant.TenantResolver;
import io.quarkus.test.QuarkusUnitTest;

/** All tenants have a schema in the data source that also keeps the locks. */
@PersistenceUnitExtension("shop")
public class Tenants implements TenantResolver {

    static final String TENANT = "ACME";

    static QuarkusUnitTest application(String database) {
        return new QuarkusUnitTest()
                .overrideConfigKey("quarkus.datasource.db-kind", "h2")
                .overrideConfigKey("quarkus.hibernate-orm.shop.datasource", "<default>")
                .overrideConfigKey("quarkus.hibernate-orm.shop.packages", Counter.class.getPackageName())
                .overrideConfigKey("quarkus.hibernate-orm.shop.multitenant", "SCHEMA")
                .overrideConfigKey("quarkus.hibernate-orm.locks.datasource", "<default>")
                .overrideConfigKey("quarkus.hibernate-orm.locks.packages", "org.acme.locks")
                .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "locks")
                .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:" + database
                        + ";DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS " + TENANT)
                .overrideRuntimeConfigKey("quarkus.datasource.jdbc.max-size", "1")
                .overrideRuntimeConfigKey("quarkus.lock.jpa.create-table", "true")
                .withApplicationRoot(jar -> jar.addClasses(Counter.class, Tenants.class));
    }

    @Override
    public String getDefaultTenantId() {
        return TENANT;
    }

    @Override
    public String resolveTenantId() {
        return TENANT;
    }
}
