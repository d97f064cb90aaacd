package io.quarkiverse.lock.deployment.step;

import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.runtime.RuntimeValue;

/** The objects filled by recorded steps. */
public final class LockRuntimeBuildItem extends SimpleBuildItem {

    private final RuntimeValue<LockedMethods> methods;
    private final RuntimeValue<LockEngines> engines;

    LockRuntimeBuildItem(RuntimeValue<LockedMethods> methods, RuntimeValue<LockEngines> engines) {
        this.methods = methods;
        this.engines = engines;
    }

    RuntimeValue<LockedMethods> methods() {
        return methods;
    }

    RuntimeValue<LockEngines> engines() {
        return engines;
    }
}
