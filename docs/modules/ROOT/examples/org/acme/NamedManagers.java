package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class NamedManagers {

    @Inject
    @LockManagerName("orders")
    LockManager locks;

    @Locked(value = "order-{id}", manager = "orders")
    void pay(String id) {
        Log.infof("Held here: %s", locks.held());
    }
}
