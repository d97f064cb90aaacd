package io.quarkiverse.lock.deployment.name;

import java.lang.constant.ClassDesc;
import java.util.Map;
import java.util.function.Predicate;

import io.quarkiverse.lock.name.NameTemplate;

/** A template, with the paths to its parts. */
public record CheckedTemplate(NameTemplate template, Map<NameTemplate.Part, PartPath> paths) {

    /** Whether it reads a property of such a class. */
    public boolean reads(Predicate<String> className) {
        return paths.values().stream().flatMap(path -> path.steps().stream()).map(PartPath.Step::owner)
                .map(ClassDesc::descriptorString).anyMatch(
                        type -> className.test(type.substring(1, type.length() - 1).replace('/', '.')));
    }
}
