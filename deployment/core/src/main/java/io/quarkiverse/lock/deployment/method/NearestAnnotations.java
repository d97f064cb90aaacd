package io.quarkiverse.lock.deployment.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkus.arc.processor.BeanDeployment;

/**
 * Which {@code @Locked} counts where several apply to a method. The container reports all of them, in no particular order:
 * those inherited from every parent, and those carried by other annotations. Build steps may have added some that are in no
 * class file.
 */
final class NearestAnnotations {

    private final IndexView index;
    private final BeanDeployment container;
    private final ClassInfo bean;

    NearestAnnotations(IndexView index, BeanDeployment container, ClassInfo bean) {
        this.index = index;
        this.container = container;
        this.bean = bean;
    }

    /**
     * Those of the method, or else of the nearest class that has any; more than one if they differ. Empty if there are none.
     */
    List<AnnotationInstance> among(Set<AnnotationInstance> bindings, @Nullable MethodInfo method) {
        List<AnnotationInstance> all = bindings.stream().filter(binding -> binding.name().equals(LockDotNames.LOCKED))
                .sorted(Comparator.comparing(AnnotationInstance::toString)).toList();
        if (all.size() < 2) {
            return all;
        }
        // annotations of the method replace those of its class
        boolean ofMethod = method != null && all.stream().anyMatch(each -> has(method, each, new HashSet<>()));
        int nearest = ofMethod ? 0 : all.stream().mapToInt(this::distance).min().orElseThrow();
        List<AnnotationInstance> found = new ArrayList<>();
        for (AnnotationInstance each : all) {
            if ((ofMethod || distance(each) == nearest) && found.stream().noneMatch(each::equivalentTo)) {
                found.add(each);
            }
        }
        return found;
    }

    /** How many parents up it is, directly or through another annotation. */
    private int distance(AnnotationInstance locked) {
        List<ClassInfo> classes = ClassChain.of(index, bean);
        return IntStream.range(0, classes.size()).filter(each -> has(classes.get(each), locked, new HashSet<>())).findFirst()
                .orElse(Integer.MAX_VALUE);
    }

    /** Whether an annotation of this place is the wanted one, or carries it, as bindings and stereotypes do. */
    private boolean has(AnnotationTarget place, AnnotationInstance wanted, Set<DotName> seen) {
        for (AnnotationInstance each : container.getAnnotations(place)) {
            ClassInfo declaration = seen.add(each.name()) ? index.getClassByName(each.name()) : null;
            if (container.extractInterceptorBindings(each).contains(wanted)
                    || declaration != null && has(declaration, wanted, seen)) {
                return true;
            }
        }
        return false;
    }
}
