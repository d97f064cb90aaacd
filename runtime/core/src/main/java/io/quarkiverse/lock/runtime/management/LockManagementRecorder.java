package io.quarkiverse.lock.runtime.management;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;
import io.smallrye.config.SmallRyeConfig;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;

/** Only part of applications with the endpoint for operators. */
@Recorder
public class LockManagementRecorder {

    /**
     * The configuration is not a parameter: applications without HTTP lack its class.
     *
     * @param security whether the application has a security extension
     */
    public void tellWhoMayRead(boolean security) {
        OpenReads.tell(ConfigProvider.getConfig().unwrap(SmallRyeConfig.class), security);
    }

    public Handler<RoutingContext> list(RuntimeValue<LockEngines> engines) {
        LockReads reads = new LockReads(new Managers(engines.getValue()));
        return new LockRoute(reads::list, HttpMethod.GET, HttpMethod.HEAD);
    }

    public Handler<RoutingContext> inspect(RuntimeValue<LockEngines> engines) {
        LockReads reads = new LockReads(new Managers(engines.getValue()));
        return new LockRoute(reads::inspect, HttpMethod.GET, HttpMethod.HEAD);
    }

    public Handler<RoutingContext> requestRelease(RuntimeValue<LockEngines> engines) {
        return new LockRoute(new LockChange("requests the release of", LockManager::requestReleaseAsync,
                backend -> backend.features().contains(Feature.REQUEST_RELEASE), new Managers(engines.getValue()))::make,
                HttpMethod.POST);
    }

    public Handler<RoutingContext> forceRelease(RuntimeValue<LockEngines> engines) {
        return new LockRoute(new LockChange("forces the release of", LockManager::forceReleaseAsync,
                backend -> !(backend instanceof TransactionalBackend), new Managers(engines.getValue()))::make,
                HttpMethod.POST);
    }
}
