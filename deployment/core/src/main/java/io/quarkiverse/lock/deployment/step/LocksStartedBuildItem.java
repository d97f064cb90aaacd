package io.quarkiverse.lock.deployment.step;

import io.quarkus.builder.item.SimpleBuildItem;

/** Consumed by what needs the engines. */
final class LocksStartedBuildItem extends SimpleBuildItem {
}
