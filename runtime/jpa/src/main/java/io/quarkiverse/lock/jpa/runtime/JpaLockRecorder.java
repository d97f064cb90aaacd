package io.quarkiverse.lock.jpa.runtime;

import java.util.Optional;

import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;

/** Prepares the tables while the application starts. */
@Recorder
public class JpaLockRecorder {

    private final RuntimeValue<LockRuntimeConfig> config;

    public JpaLockRecorder(RuntimeValue<LockRuntimeConfig> config) {
        this.config = config;
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
