package io.quarkiverse.lock.engine.lease;

import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.text.PrintableName;

/** What the backend can do. */
public final class Features {

    private final LockBackend backend;

    public Features(LockBackend backend) {
        this.backend = backend;
    }

    /**
     * @param call the call that needs the feature
     * @param instead what works without it
     * @throws IllegalStateException if the backend does not have it
     */
    public void need(Feature feature, String name, String call, String instead) {
        if (!backend.features().contains(feature)) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "': lock backend '" + backend.name() + "' does not support " + call
                            + " (feature " + feature + "): use " + instead + ", or choose another backend with "
                            + "quarkus.lock.backend");
        }
    }
}
