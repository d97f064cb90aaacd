package io.quarkiverse.lock.deployment.step;

import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/** Adds a readiness check of the stores. It has no effect without a health extension. */
public class LockHealthProcessor {

    @BuildStep
    HealthBuildItem readiness(LockBuildTimeConfig config) {
        return new HealthBuildItem("io.quarkiverse.lock.runtime.health.LockReadiness", config.health().enabled());
    }
}
