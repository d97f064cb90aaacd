package io.quarkiverse.lock.deployment;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.lock.runtime.LocalBackendProvider;
import io.quarkiverse.lock.runtime.LockBuildTimeConfig;
import io.quarkiverse.lock.runtime.LockManagers;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.runtime.LaunchMode;
import io.smallrye.config.NameIterator;

/** Finds out which managers there are, and chooses their backends. */
class LockBackendsProcessor {

    private static final String MANAGERS = "quarkus.lock.managers.";

    @BuildStep
    LockBackendBuildItem local() {
        return new LockBackendBuildItem(LocalBackendProvider.NAME, 0,
                Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT, Feature.HOLD_AT_LEAST,
                        Feature.AFTER_LOSS_DELAY),
                LocalBackendProvider.class.getName());
    }

    @BuildStep
    LockManagersBuildItem choose(LockBuildTimeConfig config, List<LockBackendBuildItem> backends, LaunchModeBuildItem mode) {
        BackendSelection selection = new BackendSelection(backends, mode.getLaunchMode() == LaunchMode.NORMAL);
        LockBackendBuildItem standard = selection.ofDefaultManager(config.backend());
        SortedMap<String, LockBackendBuildItem> chosen = new TreeMap<>();
        chosen.put(LockManagers.DEFAULT, standard);
        for (String manager : managers(config)) {
            LockBuildTimeConfig.Manager own = config.managers().get(manager);
            chosen.put(manager, own == null || own.backend().isEmpty() ? standard
                    : selection.named(own.backend().get(), manager));
        }
        return new LockManagersBuildItem(chosen, backends);
    }

    /**
     * A manager is there as soon as any of its properties is set. Of those that can change at run time only the names are
     * looked at, never the values.
     */
    private static Set<String> managers(LockBuildTimeConfig config) {
        Set<String> names = new TreeSet<>(config.managers().keySet());
        for (String property : ConfigProvider.getConfig().getPropertyNames()) {
            if (property.startsWith(MANAGERS)) {
                NameIterator segments = new NameIterator(property, MANAGERS.length() - 1);
                if (segments.hasNext()) {
                    names.add(segments.getNextSegment());
                }
            }
        }
        return names;
    }

    @BuildStep
    void registerProviders(LockManagersBuildItem managers, BuildProducer<AdditionalBeanBuildItem> beans) {
        for (LockBackendBuildItem backend : managers.used()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(backend.providerClass()));
        }
    }
}
