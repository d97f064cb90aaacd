package io.quarkiverse.lock.test;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;

/** Another user of the same backend: as if the application had a second node. */
@Singleton
class OtherNode {

    static final String OWNER = "another node (quarkus-lock-test)";

    private final Instance<LocalBackendProvider> provider;
    private final MovableTime time;
    private @Nullable LockEngine engine;

    OtherNode(Instance<LocalBackendProvider> provider, MovableTime time) {
        this.provider = provider;
        this.time = time;
    }

    /** Its locks. */
    synchronized LockManager locks() {
        if (engine == null) {
            if (!provider.isResolvable()) {
                throw new IllegalStateException("TestLocks works on the backend 'local', which this application does not use: "
                        + "build it for tests with %test.quarkus.lock.backend=local");
            }
            engine = LockEngine.builder(provider.get().create("", OWNER)).time(time).start();
        }
        return engine.manager(ManagerDefaults.STANDARD);
    }

    @PreDestroy
    void stop() {
        if (engine != null) {
            engine.close();
        }
    }
}
