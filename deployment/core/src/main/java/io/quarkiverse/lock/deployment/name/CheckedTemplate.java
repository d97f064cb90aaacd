package io.quarkiverse.lock.deployment.name;

import java.util.Map;

/** A template, with the paths to its parts. */
public record CheckedTemplate(NameTemplate template, Map<NameTemplate.Part, PartPath> paths) {
}
