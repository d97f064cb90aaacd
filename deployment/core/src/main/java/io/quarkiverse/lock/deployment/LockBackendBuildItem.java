package io.quarkiverse.lock.deployment;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Feature;
import io.quarkus.builder.item.MultiBuildItem;

/** A backend that the application could use. */
public final class LockBackendBuildItem extends MultiBuildItem {

    private final String name;
    private final int priority;
    private final Set<Feature> features;
    private final String providerClass;
    private final @Nullable String leaseProperty;

    /**
     * @param name its name in {@code quarkus.lock.backend}
     * @param priority orders the backends in messages, highest first
     * @param features what it can do
     * @param providerClass the {@link io.quarkiverse.lock.spi.LockBackendProvider}, made a bean when the backend is chosen
     */
    public LockBackendBuildItem(String name, int priority, Set<Feature> features, String providerClass) {
        this(name, priority, features, providerClass, null);
    }

    /** @param leaseProperty what says how long all locks are kept, if the backend lacks {@link Feature#LEASE} */
    public LockBackendBuildItem(String name, int priority, Set<Feature> features, String providerClass,
            @Nullable String leaseProperty) {
        this.name = name;
        this.priority = priority;
        this.features = Set.copyOf(features);
        this.providerClass = providerClass;
        this.leaseProperty = leaseProperty;
    }

    public String name() {
        return name;
    }

    public int priority() {
        return priority;
    }

    public Set<Feature> features() {
        return features;
    }

    public String providerClass() {
        return providerClass;
    }

    @Nullable
    String leaseProperty() {
        return leaseProperty;
    }
}
