package io.quarkiverse.lock.engine.lease;

import io.quarkiverse.lock.engine.state.ManagerProperty;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.text.PrintableName;

/** Refuses calls for which the backend lacks a feature. */
public final class Features {

    private final LockBackend backend;

    public Features(LockBackend backend) {
        this.backend = backend;
    }

    /**
     * @param manager the manager that takes the lock
     * @param call the call that needs the feature
     * @param instead what works without it
     * @throws IllegalStateException if the backend does not have it
     */
    public void need(Feature feature, String manager, String name, String call, String instead) {
        if (!backend.features().contains(feature)) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "': lock backend '" + backend.name() + "' does not support " + call
                            + " (feature " + feature + "): use " + instead + ", or choose another backend with "
                            + ManagerProperty.of(manager, "backend"));
        }
    }
}
