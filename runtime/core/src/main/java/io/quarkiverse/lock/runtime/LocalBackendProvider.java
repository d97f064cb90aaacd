package io.quarkiverse.lock.runtime;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;

/** Brings the backend {@code local}: locks inside this JVM, gone when the application is. */
@Singleton
public class LocalBackendProvider implements LockBackendProvider {

    /** The backend's name in the configuration. */
    public static final String NAME = "local";

    private final SystemTime time = new SystemTime();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        return new LocalBackend(new LocalStore(time), owner);
    }

    @PreDestroy
    void stopTimers() {
        time.close();
    }
}
