package io.quarkiverse.lock.deployment.step;

import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkiverse.lock.runtime.management.LockManagementRecorder;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.vertx.http.deployment.spi.RouteBuildItem;
import io.quarkus.vertx.http.deployment.spi.UseManagementInterfaceBuildItem;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/** Adds the operators' endpoint, to the management interface and nowhere else. */
@BuildSteps(onlyIf = LockManagementProcessor.Enabled.class)
public class LockManagementProcessor {

    /** Without it, Quarkus would put the routes on the port that everybody can reach. */
    @BuildStep
    void needsTheManagementInterface(Optional<UseManagementInterfaceBuildItem> management,
            BuildProducer<ValidationErrorBuildItem> errors) {
        if (management.isEmpty()) {
            errors.produce(new ValidationErrorBuildItem(new ConfigurationException("quarkus.lock.management.enabled=true needs "
                    + "the management interface of Quarkus, which has a port of its own: set quarkus.management.enabled=true, "
                    + "in an application with an HTTP server, or remove quarkus.lock.management.enabled",
                    Set.of("quarkus.lock.management.enabled", "quarkus.management.enabled"))));
        }
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void routes(Optional<UseManagementInterfaceBuildItem> management, LockManagementRecorder recorder,
            LockRuntimeBuildItem runtime, Capabilities capabilities, BuildProducer<RouteBuildItem> routes) {
        if (management.isPresent()) {
            recorder.tellWhoMayRead(capabilities.isPresent(Capability.SECURITY));
            routes.produce(route("lock", recorder.list(runtime.engines())));
            routes.produce(route("lock/inspect", recorder.inspect(runtime.engines())));
            routes.produce(route("lock/request-release", recorder.requestRelease(runtime.engines())));
            routes.produce(route("lock/force-release", recorder.forceRelease(runtime.engines())));
        }
    }

    private static RouteBuildItem route(String path, Handler<RoutingContext> handler) {
        return RouteBuildItem.newManagementRoute(path).withRequestHandler(handler).build();
    }

    static final class Enabled implements BooleanSupplier {

        private final LockBuildTimeConfig config;

        Enabled(LockBuildTimeConfig config) {
            this.config = config;
        }

        @Override
        public boolean getAsBoolean() {
            return config.management().enabled();
        }
    }
}
