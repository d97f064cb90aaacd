package org.acme;

import jakarta.enterprise.event.Observes;

import io.quarkus.logging.Log;
import io.quarkus.runtime.StartupEvent;

public class MyFirstLock {

    void onStart(@Observes StartupEvent started, MyLockedService service) {
        Log.infof("Order 42 was paid under its lock, with the fencing token %d", service.pay("42"));
    }
}
