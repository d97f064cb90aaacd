package io.quarkiverse.lock.deployment;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.builder.item.MultiBuildItem;

/** A backend that the application could use. */
public final class LockBackendBuildItem extends MultiBuildItem {

    private final String name;
    private final int priority;
    private final Set<Feature> features;
    private final String providerClass;
    private final @Nullable String leaseProperty;
    private final @Nullable String otherThanTransactional;

    /**
     * @param name its name in {@code quarkus.lock.backend}
     * @param priority order of the backends in messages, highest first
     * @param features what it can do
     * @param providerClass the {@link io.quarkiverse.lock.spi.LockBackendProvider}, which becomes a bean when the backend is
     *        chosen
     */
    public LockBackendBuildItem(String name, int priority, Set<Feature> features, String providerClass) {
        this(name, priority, features, providerClass, null);
    }

    /** @param leaseProperty the property that sets how long all locks are kept, if the backend lacks {@link Feature#LEASE} */
    public LockBackendBuildItem(String name, int priority, Set<Feature> features, String providerClass,
            @Nullable String leaseProperty) {
        this(name, priority, features, providerClass, leaseProperty, null);
    }

    private LockBackendBuildItem(String name, int priority, Set<Feature> features, String providerClass,
            @Nullable String leaseProperty, @Nullable String otherThanTransactional) {
        this.name = name;
        this.priority = priority;
        this.features = Set.copyOf(features);
        this.providerClass = providerClass;
        this.leaseProperty = leaseProperty;
        this.otherThanTransactional = otherThanTransactional;
    }

    /**
     * A backend whose locks live in the caller's transaction, see {@link io.quarkiverse.lock.spi.TransactionalBackend}.
     *
     * @param instead the setting, as {@code property=value}, that makes the backend's locks independent of transactions
     */
    public static LockBackendBuildItem inTransactions(String name, int priority, String providerClass, String instead) {
        return new LockBackendBuildItem(name, priority, Set.of(), providerClass, null, instead);
    }

    public String name() {
        return name;
    }

    public int priority() {
        return priority;
    }

    /** Whether its locks exclude other JVMs. */
    public boolean distributed() {
        return !name.equals(LocalBackendProvider.NAME);
    }

    public Set<Feature> features() {
        return features;
    }

    public String providerClass() {
        return providerClass;
    }

    /** What to set instead; {@code null} if its locks do not live in transactions. */
    @Nullable
    public String otherThanTransactional() {
        return otherThanTransactional;
    }

    @Nullable
    public String leaseProperty() {
        return leaseProperty;
    }
}
