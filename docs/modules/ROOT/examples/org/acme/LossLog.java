package org.acme;

import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.lock.LockLost;
import io.quarkus.logging.Log;

public class LossLog {

    void log(@ObservesAsync LockLost event) {
        Log.warnf("Lost %s after %s: %s", event.name(), event.held(), event.reason());
    }
}
