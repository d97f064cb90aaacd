package io.quarkiverse.lock.it.order;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;

/** The locks that this JVM holds. */
@ApplicationScoped
public class Held {

    @Inject
    LockManager locks;

    boolean is(String name) {
        return locks.held().stream().anyMatch(lock -> lock.name().equals(name));
    }

    long token(String name) {
        return locks.held().stream().filter(lock -> lock.name().equals(name)).findFirst().orElseThrow().fencingToken();
    }
}
