package io.quarkiverse.lock.deployment;

import java.util.Map;

/** A template, with the ways to its parts. */
record CheckedTemplate(NameTemplate template, Map<NameTemplate.Part, PartPath> paths) {
}
