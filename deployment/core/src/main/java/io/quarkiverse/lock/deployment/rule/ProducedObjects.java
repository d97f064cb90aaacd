package io.quarkiverse.lock.deployment.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.method.InterceptionProxies;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;

/** Producers of a class with locked methods: the container intercepts only objects that it created itself. */
public final class ProducedObjects {

    private ProducedObjects() {
    }

    /** What to warn about: a producer may also return a bean, which is intercepted. */
    public static List<String> notIntercepted(ValidationContext context, IndexView index) {
        List<String> warnings = new ArrayList<>();
        Stream.concat(context.beans().producers().stream(), context.removedBeans().producers().stream())
                .filter(producer -> !InterceptionProxies.has(producer)).forEach(producer -> {
                    ClassInfo locked = locked(index.getClassByName(producer.getProviderType().name()), index);
                    if (locked != null) {
                        warnings.add(describe(producer.getTarget().orElseThrow()) + ", which produces a "
                                + locked.name().withoutPackagePrefix());
                    }
                });
        warnings.sort(null);
        return warnings;
    }

    /** The class itself, or its nearest parent, that has the annotation. */
    private static @Nullable ClassInfo locked(@Nullable ClassInfo produced, IndexView index) {
        if (produced == null || produced.isInterface()) {
            return null; // its implementation may be a bean
        }
        return ClassChain.of(index, produced).stream().filter(type -> type.hasAnnotation(LockDotNames.LOCKED)).findFirst()
                .orElse(null);
    }

    private static String describe(AnnotationTarget producer) {
        if (producer.kind() == AnnotationTarget.Kind.METHOD) {
            return LockedInVain.describe(producer.asMethod());
        }
        return producer.asField().declaringClass().name().toString() + '.' + producer.asField().name();
    }
}
