package io.quarkiverse.lock.deployment.method;

import java.util.List;

import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.name.CheckedTemplate;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkus.builder.item.MultiBuildItem;

/** A checked {@code @Locked} method. */
public final class LockedMethodBuildItem extends MultiBuildItem {

    private final LockedCandidate candidate;
    private final List<CheckedTemplate> templates;
    private final @Nullable MethodInfo fallback;
    private final LockedDefinition definition;

    public LockedMethodBuildItem(LockedCandidate candidate, List<CheckedTemplate> templates,
            @Nullable MethodInfo fallback, LockedDefinition definition) {
        this.candidate = candidate;
        this.templates = templates;
        this.fallback = fallback;
        this.definition = definition;
    }

    public LockedCandidate candidate() {
        return candidate;
    }

    /** One or more. */
    public List<CheckedTemplate> templates() {
        return templates;
    }

    /** The method called when the lock is busy, if any. */
    @Nullable
    public MethodInfo fallback() {
        return fallback;
    }

    public LockedDefinition definition() {
        return definition;
    }
}
