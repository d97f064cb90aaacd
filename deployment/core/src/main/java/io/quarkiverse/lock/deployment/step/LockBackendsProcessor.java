package io.quarkiverse.lock.deployment.step;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.runtime.config.KeySpellings;
import io.quarkiverse.lock.runtime.config.LockBuildTimeConfig;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.runtime.LaunchMode;

/** Finds out which managers exist, and chooses their backends. */
public class LockBackendsProcessor {

    @BuildStep
    LockBackendBuildItem local() {
        return new LockBackendBuildItem(LocalBackendProvider.NAME, 0, LocalBackend.FEATURES,
                LocalBackendProvider.class.getName());
    }

    @BuildStep
    LockManagersBuildItem choose(LockBuildTimeConfig config, List<LockBackendBuildItem> backends, LaunchModeBuildItem mode) {
        BackendSelection selection = new BackendSelection(backends, mode.getLaunchMode() == LaunchMode.NORMAL);
        List<DeploymentException> problems = new ArrayList<>();
        LockBackendBuildItem standard = orProblem(() -> selection.ofDefaultManager(config.backend()), problems);
        Map<String, LockBuildTimeConfig.Manager> own = config.managers();
        KeySpellings spellings = KeySpellings.of(LockManagers.PREFIX);
        Set<String> names = named(config, spellings);
        for (String manager : names) {
            String spelledTwice = spellings.problem(manager);
            if (spelledTwice != null) {
                problems.add(new DeploymentException(spelledTwice));
            }
        }
        if (!names.add(LockManagers.DEFAULT)) {
            problems.add(new DeploymentException(LockManagers.NAMED_DEFAULT));
        }
        SortedMap<String, LockBackendBuildItem> chosen = new TreeMap<>();
        for (String manager : names) {
            LockBackendBuildItem backend = !own.containsKey(manager) || own.get(manager).backend().isEmpty() ? standard
                    : orProblem(() -> selection.named(own.get(manager).backend().get(), manager), problems);
            if (backend != null) {
                chosen.put(manager, backend);
            }
        }
        return new LockManagersBuildItem(names, chosen, problems, backends);
    }

    private static @Nullable LockBackendBuildItem orProblem(Supplier<LockBackendBuildItem> choice,
            List<DeploymentException> problems) {
        try {
            return choice.get();
        } catch (DeploymentException e) {
            problems.add(e);
            return null;
        }
    }

    /** Reported together with all problems of locked methods, so that one error does not hide the others. */
    @BuildStep
    void report(LockManagersBuildItem managers, BuildProducer<ValidationErrorBuildItem> errors) {
        if (!managers.problems().isEmpty()) {
            errors.produce(new ValidationErrorBuildItem(new ArrayList<>(managers.problems())));
        }
    }

    /**
     * The managers beside the default one: a manager exists as soon as any of its properties is set. For run-time properties,
     * only the names are read, never the values.
     */
    private static Set<String> named(LockBuildTimeConfig config, KeySpellings spellings) {
        Set<String> names = new TreeSet<>(config.managers().keySet());
        names.addAll(spellings.keys());
        return names;
    }

    @BuildStep
    void registerProviders(LockManagersBuildItem managers, BuildProducer<AdditionalBeanBuildItem> beans) {
        for (LockBackendBuildItem backend : managers.used()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(backend.providerClass()));
        }
    }
}
