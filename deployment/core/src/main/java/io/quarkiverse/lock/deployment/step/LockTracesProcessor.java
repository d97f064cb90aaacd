package io.quarkiverse.lock.deployment.step;

import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Adds spans if OpenTelemetry is present. Otherwise, the application contains no classes for them. */
public class LockTracesProcessor {

    @BuildStep
    void tracing(Capabilities capabilities, LockBuildTimeConfig config, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.traces().enabled() && capabilities.isPresent(Capability.OPENTELEMETRY_TRACER)) {
            // by name: the class cannot be loaded without OpenTelemetry
            beans.produce(AdditionalBeanBuildItem.unremovableOf("io.quarkiverse.lock.runtime.traces.LockTraces"));
        }
    }
}
