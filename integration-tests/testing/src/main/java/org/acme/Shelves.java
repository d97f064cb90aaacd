package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class Shelves {

    static final String SHELF = "shelf-{warehouse}-{item}";

    @Inject
    LockManager locks;

    @Locked(SHELF)
    void count(String warehouse, long item) {
        Log.infof("Counting item %d in %s", item, warehouse);
    }

    boolean isCounted(String warehouse, long item) {
        return locks.inspect(LockManager.nameOf(SHELF, warehouse, item)).isPresent(); // <1>
    }
}
