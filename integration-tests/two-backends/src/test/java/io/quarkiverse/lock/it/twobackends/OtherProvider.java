package io.quarkiverse.lock.it.twobackends;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;

@ApplicationScoped
public class OtherProvider implements LockBackendProvider {

    @Override
    public String name() {
        return "other";
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        return new LocalBackend(new LocalStore(new io.quarkiverse.lock.engine.SystemTime()), owner);
    }
}
