package io.quarkiverse.lock.jpa.runtime;

import java.util.Optional;

import org.hibernate.cfg.SchemaToolingSettings;

import io.quarkiverse.lock.jpa.table.OtherTables;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.hibernate.orm.runtime.integration.HibernateOrmIntegrationRuntimeInitListener;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;

/** Prepares the tables while the application starts. */
@Recorder
public class JpaLockRecorder {

    private final RuntimeValue<LockRuntimeConfig> config;
    private final RuntimeValue<JpaLockConfig> jpaConfig;

    public JpaLockRecorder(RuntimeValue<LockRuntimeConfig> config, RuntimeValue<JpaLockConfig> jpaConfig) {
        this.config = config;
        this.jpaConfig = jpaConfig;
    }

    /** With {@code create-table}, tells Hibernate not to look for tables that are created once it has started. */
    public HibernateOrmIntegrationRuntimeInitListener validation() {
        boolean createTable = jpaConfig.getValue().createTable();
        return properties -> {
            if (createTable) {
                properties.accept(SchemaToolingSettings.HBM2DDL_FILTER_PROVIDER, new OtherTables());
            }
        };
    }

    /**
     * Leaves the database alone if locks are switched off, which may be because of the database.
     *
     * @param dataSource of the persistence unit that has the locks, which is known when the application is built
     * @param unitWithSchemas a persistence unit whose tenants have a schema each in the data source of the locks
     */
    public void prepare(BeanContainer beans, Optional<String> dataSource, Optional<String> unitWithSchemas) {
        if (config.getValue().enabled()) {
            beans.beanInstance(JpaLockBackendProvider.class).prepare(dataSource, unitWithSchemas);
        }
    }
}
