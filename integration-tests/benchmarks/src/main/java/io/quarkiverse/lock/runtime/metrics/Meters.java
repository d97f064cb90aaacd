package io.quarkiverse.lock.runtime.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.spi.LockListener;

/** Creates the meters without the container that creates them in an application. */
public final class Meters {

    private Meters() {
    }

    public static LockListener in(MeterRegistry registry) {
        return new LockMetrics(registry, new LockEngines());
    }
}
