package io.quarkiverse.lock.it.twobackends;

import java.util.EnumSet;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.builder.BuildChainBuilder;

/** Offers a backend called "other", as a second backend's extension would. */
final class OtherBackend {

    private OtherBackend() {
    }

    static void offer(BuildChainBuilder chain) {
        chain.addBuildStep(context -> context.produce(
                new LockBackendBuildItem("other", 1, EnumSet.allOf(Feature.class), OtherProvider.class.getName())))
                .produces(LockBackendBuildItem.class).build();
    }
}
