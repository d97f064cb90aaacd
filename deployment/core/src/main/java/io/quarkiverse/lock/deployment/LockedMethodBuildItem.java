package io.quarkiverse.lock.deployment;

import java.util.Map;

import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.LockedDefinition;
import io.quarkus.builder.item.MultiBuildItem;

/** A {@code @Locked} method that has been checked. */
final class LockedMethodBuildItem extends MultiBuildItem {

    private final LockedCandidate candidate;
    private final NameTemplate template;
    private final Map<NameTemplate.Part, PartPath> paths;
    private final @Nullable MethodInfo fallback;
    private final LockedDefinition definition;

    LockedMethodBuildItem(LockedCandidate candidate, NameTemplate template, Map<NameTemplate.Part, PartPath> paths,
            @Nullable MethodInfo fallback, LockedDefinition definition) {
        this.candidate = candidate;
        this.template = template;
        this.paths = paths;
        this.fallback = fallback;
        this.definition = definition;
    }

    LockedCandidate candidate() {
        return candidate;
    }

    NameTemplate template() {
        return template;
    }

    Map<NameTemplate.Part, PartPath> paths() {
        return paths;
    }

    /** What is called when the lock is busy, if anything is. */
    @Nullable
    MethodInfo fallback() {
        return fallback;
    }

    LockedDefinition definition() {
        return definition;
    }
}
