package io.quarkiverse.lock.runtime.metrics;

import java.util.function.Consumer;

import io.quarkus.arc.Arc;
import io.quarkus.runtime.annotations.Recorder;
import io.quarkus.runtime.metrics.MetricsFactory;

/** Only part of applications with Micrometer. */
@Recorder
public class LockMetricsRecorder {

    public Consumer<MetricsFactory> watchStores() {
        return new Consumer<MetricsFactory>() {
            @Override
            public void accept(MetricsFactory factory) {
                Arc.container().instance(LockMetrics.class).get().watchStores();
            }
        };
    }
}
