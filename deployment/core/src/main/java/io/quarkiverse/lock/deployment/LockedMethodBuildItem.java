package io.quarkiverse.lock.deployment;

import java.util.Map;

import io.quarkiverse.lock.runtime.LockedDefinition;
import io.quarkus.builder.item.MultiBuildItem;

/** A {@code @Locked} method that has been checked. */
final class LockedMethodBuildItem extends MultiBuildItem {

    private final LockedCandidate candidate;
    private final NameTemplate template;
    private final Map<NameTemplate.Part, PartPath> paths;
    private final LockedDefinition definition;

    LockedMethodBuildItem(LockedCandidate candidate, NameTemplate template, Map<NameTemplate.Part, PartPath> paths,
            LockedDefinition definition) {
        this.candidate = candidate;
        this.template = template;
        this.paths = paths;
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

    LockedDefinition definition() {
        return definition;
    }
}
