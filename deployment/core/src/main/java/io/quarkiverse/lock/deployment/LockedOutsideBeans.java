package io.quarkiverse.lock.deployment;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;

/** Finds annotations that lock nothing because no bean has them. */
final class LockedOutsideBeans {

    private LockedOutsideBeans() {
    }

    /** What to warn of, in a fixed order. */
    static Set<String> find(IndexView index, ValidationPhaseBuildItem validation) {
        Set<DotName> beans = beans(index, validation.getContext());
        Set<String> found = new TreeSet<>();
        for (AnnotationInstance locked : index.getAnnotations(LockDotNames.LOCKED)) {
            AnnotationTarget target = locked.target();
            if (target.kind() == AnnotationTarget.Kind.METHOD) {
                MethodInfo method = target.asMethod();
                if (!Modifier.isStatic(method.flags()) && outside(method.declaringClass(), beans)) {
                    found.add(method.declaringClass().name().toString() + '.' + method.name());
                }
            } else if (target.kind() == AnnotationTarget.Kind.CLASS && !Modifier.isAbstract(target.asClass().flags())
                    && outside(target.asClass(), beans)) {
                found.add(target.asClass().name().toString());
            }
        }
        return found;
    }

    /** Interfaces are left alone: clients that are made from them can be intercepted. */
    private static boolean outside(ClassInfo type, Set<DotName> beans) {
        return !type.isInterface() && !beans.contains(type.name());
    }

    /** With the parents that they inherit methods from, and those that were removed because nobody uses them. */
    private static Set<DotName> beans(IndexView index, ValidationContext context) {
        Set<DotName> names = new HashSet<>();
        Stream.concat(context.beans().classBeans().stream(), context.removedBeans().classBeans().stream()).forEach(bean -> {
            ClassInfo type = bean.getImplClazz();
            while (type != null && names.add(type.name())) {
                type = type.superName() == null ? null : index.getClassByName(type.superName());
            }
        });
        return names;
    }
}
