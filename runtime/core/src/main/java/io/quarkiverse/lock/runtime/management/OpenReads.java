package io.quarkiverse.lock.runtime.management;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkus.vertx.http.runtime.PolicyMappingConfig;
import io.quarkus.vertx.http.runtime.management.ManagementConfig;
import io.quarkus.vertx.http.runtime.management.ManagementInterfaceBuildTimeConfig;
import io.smallrye.config.SmallRyeConfig;

/**
 * Logs at start that anybody who reaches the management interface can see all locks, unless a permission that Quarkus checks
 * protects them.
 */
final class OpenReads {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private OpenReads() {
    }

    /** @param security whether the application has a security extension */
    static void tell(SmallRyeConfig config, boolean security) {
        ManagementInterfaceBuildTimeConfig built = config.getConfigMapping(ManagementInterfaceBuildTimeConfig.class);
        String root = built.rootPath();
        String path = (root.startsWith("/") ? root : '/' + root) + (root.endsWith("/") ? "lock" : "/lock");
        List<String> missing = new ArrayList<>(); // without any of these, Quarkus lets everybody through
        if (!security) {
            missing.add("add an extension that manages users, such as quarkus-elytron-security-properties-file");
        }
        if (!built.auth().enabled()) {
            missing.add("set quarkus.management.auth.enabled=true");
        }
        if (isOpen(config.getConfigMapping(ManagementConfig.class).auth().permissions().values(), path)) {
            missing.add("set quarkus.management.auth.permission.locks.paths=" + path + ',' + path + "/* and a policy for it");
        }
        if (!missing.isEmpty()) {
            LOG.infof("Anybody who reaches the management interface can see all locks at %s. To restrict that, %s", path,
                    String.join(", and ", missing));
        }
    }

    /** As in Quarkus, each shared permission has a say of its own, and all others have one together. */
    private static boolean isOpen(Collection<PolicyMappingConfig> permissions, String path) {
        List<PolicyMappingConfig> together = new ArrayList<>();
        for (PolicyMappingConfig permission : permissions) {
            if (!permission.enabled().orElse(true) || permission.appliesTo() != PolicyMappingConfig.AppliesTo.ALL) {
                continue;
            }
            if (!permission.shared()) {
                together.add(permission);
            } else if (!letThrough(List.of(permission), path)) {
                return false;
            }
        }
        return letThrough(together, path);
    }

    /**
     * The permissions with the longest matching path decide: those for the method or, if there are none, those that list no
     * methods; if there are none of these either, nobody is let through.
     */
    private static boolean letThrough(List<PolicyMappingConfig> permissions, String path) {
        List<PolicyMappingConfig> longest = longest(permissions, path);
        List<PolicyMappingConfig> deciding = longest.stream().filter(each -> methods(each).contains("GET")).toList();
        if (deciding.isEmpty()) {
            deciding = longest.stream().filter(each -> methods(each).isEmpty()).toList();
        }
        return longest.isEmpty() || !deciding.isEmpty() && deciding.stream().allMatch(each -> "permit".equals(each.policy()));
    }

    private static List<String> methods(PolicyMappingConfig permission) {
        return permission.methods().orElse(List.of());
    }

    private static List<PolicyMappingConfig> longest(List<PolicyMappingConfig> permissions, String path) {
        int longest = 0;
        List<PolicyMappingConfig> found = new ArrayList<>();
        for (PolicyMappingConfig permission : permissions) {
            for (String each : permission.paths().orElse(List.of())) {
                int length = fitting(each.trim(), path);
                if (length > longest) {
                    found.clear();
                    longest = length;
                }
                if (length == longest) {
                    found.add(permission);
                }
            }
        }
        return found;
    }

    /**
     * @param pattern without a leading slash it is relative to the root of the management interface, as the list's path is
     * @return how much of the path it matches, or -1 if it does not match
     */
    private static int fitting(String pattern, String path) {
        String all = pattern.startsWith("/") ? pattern : path.substring(0, path.lastIndexOf('/') + 1) + pattern;
        if (!all.endsWith("*")) {
            return all.equals(path) || all.equals(path + "/") ? path.length() + 1 : -1;
        }
        String start = all.substring(0, all.length() - 1);
        return start.equals(path + "/") ? path.length() : path.startsWith(start) ? start.length() : -1;
    }
}
