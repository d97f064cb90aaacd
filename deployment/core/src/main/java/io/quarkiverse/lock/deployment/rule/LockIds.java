package io.quarkiverse.lock.deployment.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/**
 * Ensures that each key in the operators' configuration stands for one template, whether it is an id or a template as written.
 */
public final class LockIds {

    private final List<Throwable> problems;
    private final List<LockedMethodBuildItem> methods = new ArrayList<>();

    public LockIds(List<Throwable> problems) {
        this.problems = problems;
    }

    public void add(LockedMethodBuildItem method) {
        methods.add(method);
    }

    /** To be called once all methods are known. */
    public void check() {
        Map<String, LockedMethodBuildItem> owners = new TreeMap<>();
        for (LockedMethodBuildItem method : methods) {
            String id = method.definition().id();
            if (!id.isEmpty()) {
                LockedMethodBuildItem owner = owners.putIfAbsent(id, method);
                if (owner != null && !same(owner, method)) {
                    problem(method, owner, "is also the id of ");
                }
            }
        }
        for (LockedMethodBuildItem method : methods) {
            LockedMethodBuildItem owner = owners.get(method.definition().template());
            if (owner != null && !same(owner, method)) {
                problem(owner, method, "is also the template of ");
            }
        }
    }

    /** Whether both have one template, or one annotation shared by several methods: their class's, or an inherited one. */
    private static boolean same(LockedMethodBuildItem one, LockedMethodBuildItem other) {
        return one.definition().template().equals(other.definition().template())
                || one.candidate().locked().target() != null
                        && one.candidate().locked().target().equals(other.candidate().locked().target());
    }

    private void problem(LockedMethodBuildItem method, LockedMethodBuildItem other, String what) {
        problems.add(method.candidate().problem("@Locked(id = \"" + method.definition().id() + "\") " + what
                + other.definition().description()
                + ", which has another template: give each template an id of its own, so that "
                + "quarkus.lock.overrides." + method.definition().id() + ".* stands for one"));
    }
}
