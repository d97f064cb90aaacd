package io.quarkiverse.lock.deployment;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Feature;
import io.quarkus.builder.item.SimpleBuildItem;

/** The managers of the application, each with its backend. */
public final class LockManagersBuildItem extends SimpleBuildItem {

    private final SortedMap<String, LockBackendBuildItem> backends;
    private final Set<String> names;
    private final List<DeploymentException> problems;
    private final List<LockBackendBuildItem> offered;

    /**
     * @param names of all managers, including those without a backend
     * @param problems why some have no backend; the application is then not built
     * @param offered all backends of the application, used or not
     */
    public LockManagersBuildItem(Set<String> names, SortedMap<String, LockBackendBuildItem> backends,
            List<DeploymentException> problems, List<LockBackendBuildItem> offered) {
        this.names = names;
        this.backends = backends;
        this.problems = problems;
        this.offered = offered;
    }

    /** The names of the application's backends that support this for several JVMs. */
    public List<String> able(Feature feature) {
        return offered.stream().filter(LockBackendBuildItem::distributed)
                .filter(backend -> backend.features().contains(feature)).map(LockBackendBuildItem::name).sorted().toList();
    }

    /** In a fixed order, so that builds are reproducible. */
    public Set<String> names() {
        return names;
    }

    public List<DeploymentException> problems() {
        return problems;
    }

    /** {@code null} if there is no such manager, or no backend for it. */
    @Nullable
    public LockBackendBuildItem backend(String manager) {
        return backends.get(manager);
    }

    public Collection<LockBackendBuildItem> used() {
        return Set.copyOf(backends.values());
    }

    /** Whether any manager keeps its locks in the backend with this name. If not, it needs neither client nor dev service. */
    public boolean uses(String backend) {
        return backends.values().stream().anyMatch(used -> used.name().equals(backend));
    }

    /** Manager to backend name. */
    public Map<String, String> backendNames() {
        return backends.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().name(),
                (first, second) -> first, TreeMap::new));
    }
}
