package io.quarkiverse.lock.runtime.manager;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.spi.LockTime;

/** Provides the backend {@code local}: locks inside this JVM, which end with the application. */
@Singleton
public class LocalBackendProvider implements LockBackendProvider {

    /** The backend's name in the configuration. */
    public static final String NAME = "local";

    private final LocalStore store;
    private final @Nullable SystemTime ownTime;

    /** @param given the time that a test controls, if there is one */
    public LocalBackendProvider(Instance<LockTime> given) {
        ownTime = given.isResolvable() ? null : new SystemTime();
        store = new LocalStore(ownTime == null ? given.get() : ownTime);
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Each backend is another client of this application's locks. */
    @Override
    public LockBackend create(String namespace, String owner) {
        return new LocalBackend(store, owner);
    }

    @PreDestroy
    void stopTimers() {
        if (ownTime != null) {
            ownTime.close();
        }
    }
}
