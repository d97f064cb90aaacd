package io.quarkiverse.lock.deployment.places.elsewhere;

import io.quarkiverse.lock.Locked;

/** Implemented by other applications. */
public interface LibraryContract {

    @Locked
    void pay();
}
