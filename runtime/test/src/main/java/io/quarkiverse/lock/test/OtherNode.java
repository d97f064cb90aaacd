package io.quarkiverse.lock.test;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.runtime.manager.LockEngines;

/** Another user of the same backend, with the same configuration: as if the application had a second node. */
@Singleton
class OtherNode {

    static final String OWNER = "another node (quarkus-lock-test)";

    private final Instance<LocalBackendProvider> provider;
    private final LockRuntimeConfig config;
    private final MovableTime time;
    private @Nullable LockEngine engine;

    OtherNode(Instance<LocalBackendProvider> provider, LockRuntimeConfig config, MovableTime time) {
        this.provider = provider;
        this.config = config;
        this.time = time;
    }

    /**
     * Its locks. They are held until a test ends them: they are renewed without limit, and not kept after that, whatever the
     * configuration says.
     */
    synchronized LockManager locks() {
        if (engine == null) {
            if (!provider.isResolvable()) {
                throw new IllegalStateException("TestLocks works on the backend 'local', which this application does not use: "
                        + "build it for tests with %test.quarkus.lock.backend=local");
            }
            engine = LockEngines.configured(provider.get().create("", OWNER), config).time(time).start();
        }
        ManagerDefaults standard = ManagerDefaults.STANDARD;
        return engine.manager(new ManagerDefaults(standard.name(), standard.waitFor(), config.lease(), standard.renew(),
                standard.maxHold(), standard.onLost()));
    }

    @PreDestroy
    void stop() {
        if (engine != null) {
            engine.close();
        }
    }
}
