package io.quarkiverse.lock.deployment.step;

import io.quarkus.builder.item.SimpleBuildItem;

/** Consumed by build steps that need the engines. */
final class LocksStartedBuildItem extends SimpleBuildItem {
}
