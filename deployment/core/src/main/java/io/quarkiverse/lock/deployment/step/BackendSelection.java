package io.quarkiverse.lock.deployment.step;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.runtime.manager.LockManagers;

/**
 * Picks the backend of a manager:
 * <ol>
 * <li>the one named in the configuration;
 * <li>otherwise, the application's only backend besides {@code local};
 * <li>otherwise, if there is none, {@code local} in development and tests;
 * <li>otherwise, the application does not build.
 * </ol>
 */
public final class BackendSelection {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");
    private static final String ARTIFACTS = "io.quarkiverse.lock:quarkus-lock-redis, "
            + "io.quarkiverse.lock:quarkus-lock-zookeeper, io.quarkiverse.lock:quarkus-lock-jpa";

    private final Map<String, LockBackendBuildItem> present = new TreeMap<>();
    private final boolean production;

    BackendSelection(List<LockBackendBuildItem> backends, boolean production) {
        this.production = production;
        for (LockBackendBuildItem backend : backends) {
            LockBackendBuildItem other = present.put(backend.name(), backend);
            if (other != null) {
                throw new DeploymentException("Two extensions bring a lock backend called '" + backend.name() + "': "
                        + other.providerClass() + " and " + backend.providerClass() + "; remove one of them");
            }
        }
    }

    LockBackendBuildItem ofDefaultManager(Optional<String> choice) {
        if (choice.isPresent()) {
            return named(choice.get(), LockManagers.DEFAULT);
        }
        List<LockBackendBuildItem> distributed = distributed();
        return switch (distributed.size()) {
            case 1 -> distributed.get(0);
            case 0 -> local();
            default -> throw new DeploymentException("The application has several lock backends: " + list(distributed)
                    + "; choose one with quarkus.lock.backend");
        };
    }

    LockBackendBuildItem named(String name, String manager) {
        LockBackendBuildItem backend = present.get(name);
        if (backend == null) {
            List<LockBackendBuildItem> distributed = distributed();
            throw new DeploymentException(LockManagers.property(manager, "backend") + " is '" + name
                    + "', but the application has no such lock backend; "
                    + (distributed.isEmpty() ? "" : "choose one it has (" + list(distributed) + "), or ")
                    + "add the extension, such as io.quarkiverse.lock:quarkus-lock-" + name);
        }
        return backend;
    }

    private List<LockBackendBuildItem> distributed() {
        return present.values().stream().filter(LockBackendBuildItem::distributed).toList();
    }

    private LockBackendBuildItem local() {
        if (production) {
            throw new DeploymentException("The application has no lock backend: add one of " + ARTIFACTS
                    + ". For locks inside a single JVM ask for them by name: quarkus.lock.backend=local");
        }
        LOG.info("No lock backend was added, so locks work inside this JVM only (backend 'local'). A production build needs "
                + "one of " + ARTIFACTS + ", or quarkus.lock.backend=local");
        return named(LocalBackendProvider.NAME, LockManagers.DEFAULT);
    }

    private static String list(List<LockBackendBuildItem> backends) {
        return backends.stream()
                .sorted(Comparator.comparingInt(LockBackendBuildItem::priority).reversed()
                        .thenComparing(LockBackendBuildItem::name))
                .map(LockBackendBuildItem::name)
                .collect(Collectors.joining(", "));
    }
}
