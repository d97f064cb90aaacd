package io.quarkiverse.lock.deployment.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.lock.deployment.index.LockDotNames;

/**
 * Which {@code @Locked} counts where several reach a method. The container says that there are some, in any order: those of all
 * parents of a class, since they are inherited, and those that stand on other annotations.
 */
final class NearestAnnotations {

    private final IndexView index;
    private final ClassInfo bean;

    NearestAnnotations(IndexView index, ClassInfo bean) {
        this.index = index;
        this.bean = bean;
    }

    /** Of the method, or else of the nearest class that has any; more than one if these differ. None if there is none. */
    List<AnnotationInstance> among(Set<AnnotationInstance> bindings, MethodInfo method) {
        List<AnnotationInstance> all = bindings.stream().filter(binding -> binding.name().equals(LockDotNames.LOCKED))
                .sorted(Comparator.comparing(AnnotationInstance::toString)).toList();
        if (all.size() < 2) {
            return all;
        }
        // then those of the class are not among them
        boolean ofMethod = method.declaredAnnotations().stream()
                .anyMatch(each -> leads(each.name(), LockDotNames.LOCKED, new HashSet<>()));
        int nearest = ofMethod ? 0 : all.stream().mapToInt(this::distance).min().orElseThrow();
        List<AnnotationInstance> found = new ArrayList<>();
        for (AnnotationInstance each : all) {
            if ((ofMethod || distance(each) == nearest) && found.stream().noneMatch(each::equivalentTo)) {
                found.add(each);
            }
        }
        return found;
    }

    /** How many parents up it stands, itself or by another annotation. */
    private int distance(AnnotationInstance locked) {
        AnnotationTarget target = locked.target();
        int distance = 0;
        for (ClassInfo type = bean; type != null; type = index.getClassByName(type.superName())) {
            if (target == null || target.asClass().name().equals(type.name()) || type.declaredAnnotations().stream()
                    .anyMatch(each -> leads(each.name(), target.asClass().name(), new HashSet<>()))) {
                return distance;
            }
            distance++;
        }
        return Integer.MAX_VALUE;
    }

    /** Whether an annotation is the wanted one, or has it among its own annotations, or theirs. */
    private boolean leads(DotName annotation, DotName wanted, Set<DotName> seen) {
        if (annotation.equals(wanted)) {
            return true;
        }
        ClassInfo declaration = seen.add(annotation) ? index.getClassByName(annotation) : null;
        return declaration != null && declaration.declaredAnnotations().stream()
                .anyMatch(each -> leads(each.name(), wanted, seen));
    }
}
