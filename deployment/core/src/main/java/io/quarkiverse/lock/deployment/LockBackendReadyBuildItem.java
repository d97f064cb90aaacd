package io.quarkiverse.lock.deployment;

import io.quarkus.builder.item.MultiBuildItem;

/** What a backend needs at start is ready. The engines start after all of these. */
public final class LockBackendReadyBuildItem extends MultiBuildItem {

    private final String name;

    /** @param name of the backend */
    public LockBackendReadyBuildItem(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }
}
