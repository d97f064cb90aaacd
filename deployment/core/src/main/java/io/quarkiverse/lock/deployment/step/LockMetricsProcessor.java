package io.quarkiverse.lock.deployment.step;

import java.util.Optional;
import java.util.function.BooleanSupplier;

import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkiverse.lock.runtime.metrics.LockMetricsRecorder;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.deployment.metrics.MetricsFactoryConsumerBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;

/** Adds meters if Micrometer is present. Otherwise, the application contains no classes for them. */
@BuildSteps(onlyIf = LockMetricsProcessor.Enabled.class)
public class LockMetricsProcessor {

    @BuildStep
    void listener(Optional<MetricsCapabilityBuildItem> metrics, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (micrometer(metrics)) {
            // by name: the class cannot be loaded without Micrometer
            beans.produce(AdditionalBeanBuildItem.unremovableOf("io.quarkiverse.lock.runtime.metrics.LockMetrics"));
        }
    }

    /** After the start: until then it is unknown which stores exist. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(LocksStartedBuildItem.class)
    void stores(Optional<MetricsCapabilityBuildItem> metrics, LockMetricsRecorder recorder,
            BuildProducer<MetricsFactoryConsumerBuildItem> consumers) {
        if (micrometer(metrics)) {
            consumers.produce(new MetricsFactoryConsumerBuildItem(recorder.watchStores()));
        }
    }

    private static boolean micrometer(Optional<MetricsCapabilityBuildItem> metrics) {
        return metrics.isPresent() && metrics.get().metricsSupported(MetricsFactory.MICROMETER);
    }

    static final class Enabled implements BooleanSupplier {

        private final LockBuildTimeConfig config;

        Enabled(LockBuildTimeConfig config) {
            this.config = config;
        }

        @Override
        public boolean getAsBoolean() {
            return config.metrics().enabled();
        }
    }
}
