package io.quarkiverse.lock.deployment.places.elsewhere;

import jakarta.annotation.PostConstruct;

import io.quarkiverse.lock.Locked;

/** Would be refused in an application that makes it a bean. */
public class LibraryInternals {

    @Locked
    @PostConstruct
    void begin() {
        hidden();
    }

    @Locked
    private void hidden() {
    }

    @Locked
    private static void hiddenStatic() {
        new LibraryInternals().begin();
    }
}
