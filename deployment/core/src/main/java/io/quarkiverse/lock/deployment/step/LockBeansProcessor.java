package io.quarkiverse.lock.deployment.step;

import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;

/** Makes the extension's classes part of the application. */
public class LockBeansProcessor {

    private static final String RUNTIME = "io.quarkiverse.lock.runtime.";

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("lock");
    }

    /**
     * Classes that use transactions or validation are registered by name, and only where these are present: otherwise they
     * cannot be loaded.
     */
    @BuildStep
    void beans(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        beans.produce(AdditionalBeanBuildItem.builder()
                .addBeanClasses(Locked.class, LockManagerName.class)
                .addBeanClasses(RUNTIME + "call.LockedInterceptor", RUNTIME + "call.TransactionsAround")
                .setUnremovable()
                .build());
        if (capabilities.isPresent(Capability.TRANSACTIONS)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(RUNTIME + "transaction.JtaTransactions"));
        }
        if (capabilities.isPresent(Capability.HIBERNATE_REACTIVE)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(RUNTIME + "transaction.HibernateReactiveTransactions"));
        }
        if (capabilities.isPresent(Capability.TRANSACTIONS) || capabilities.isPresent(Capability.HIBERNATE_REACTIVE)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(RUNTIME + "call.LockLossInterceptor"));
        }
        if (capabilities.isPresent(Capability.HIBERNATE_VALIDATOR)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(RUNTIME + "method.HibernateValidatorParameters"));
        }
    }

    /** Nobody injects listeners: the application looks them up when it starts. */
    @BuildStep
    UnremovableBeanBuildItem listeners() {
        return UnremovableBeanBuildItem.beanTypes(LockListener.class);
    }
}
