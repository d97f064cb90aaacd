package io.quarkiverse.lock.deployment.places.elsewhere;

import io.quarkiverse.lock.Locked;

/** A bean in applications that make it one. */
public class LibraryService {

    @Locked
    void pay() {
    }
}
