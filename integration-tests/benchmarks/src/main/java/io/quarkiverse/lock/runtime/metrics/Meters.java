package io.quarkiverse.lock.runtime.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.spi.LockListener;

/** Makes the meters without the container that makes them in an application. */
public final class Meters {

    private Meters() {
    }

    public static LockListener in(MeterRegistry registry) {
        return new LockMetrics(registry, new LockEngines());
    }
}
