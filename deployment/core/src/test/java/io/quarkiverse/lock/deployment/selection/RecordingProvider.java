package io.quarkiverse.lock.deployment.selection;

import jakarta.inject.Singleton;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;

/** Knows which namespace it was created for. */
@Singleton
public class RecordingProvider implements LockBackendProvider {

    String namespace;

    @Override
    public String name() {
        return "recording";
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        this.namespace = namespace;
        return new LocalBackend(new LocalStore(new SystemTime()), owner);
    }

    @Override
    public String place() {
        return "this JVM,\nshelf 3";
    }
}
