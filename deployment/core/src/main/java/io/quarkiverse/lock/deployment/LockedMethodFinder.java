package io.quarkiverse.lock.deployment;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.staticmethods.InterceptedStaticMethodBuildItem;
import io.quarkus.arc.processor.BeanInfo;

/**
 * Finds the methods that the interceptor is called for by asking the container, which knows stereotypes and inherited
 * annotations. It does not list static methods, so these are added.
 */
final class LockedMethodFinder {

    private LockedMethodFinder() {
    }

    /** In a fixed order, so that builds can be repeated. */
    static List<LockedCandidate> find(ValidationPhaseBuildItem validation, List<InterceptedStaticMethodBuildItem> statics) {
        List<LockedCandidate> found = new ArrayList<>();
        for (BeanInfo bean : validation.getContext().beans().classBeans()) {
            bean.getInterceptedMethodsBindings().forEach((method, bindings) -> locked(bindings)
                    .ifPresent(locked -> found.add(LockedCandidate.of(bean.getImplClazz(), method, locked, bindings))));
        }
        for (InterceptedStaticMethodBuildItem method : statics) {
            locked(method.getBindings()).ifPresent(locked -> found
                    .add(LockedCandidate.of(method.getTarget(), method.getMethod(), locked, method.getBindings())));
        }
        found.sort(Comparator.comparing((LockedCandidate candidate) -> candidate.beanName().toString())
                .thenComparing(candidate -> candidate.method().toString()));
        return found;
    }

    private static Optional<AnnotationInstance> locked(Set<AnnotationInstance> bindings) {
        return bindings.stream().filter(binding -> binding.name().equals(LockDotNames.LOCKED)).findFirst();
    }

    /** Annotated methods that nothing can intercept. */
    static List<LockDefinitionException> privateMethods(IndexView index) {
        List<LockDefinitionException> problems = new ArrayList<>();
        for (AnnotationInstance locked : index.getAnnotations(LockDotNames.LOCKED)) {
            if (locked.target().kind() == AnnotationTarget.Kind.METHOD) {
                MethodInfo method = locked.target().asMethod();
                if (Modifier.isPrivate(method.flags())) {
                    problems.add(new LockDefinitionException(method.declaringClass().name(), method.name(),
                            "@Locked has no effect on a private method: make it package-private, and call it from another bean"));
                }
            }
        }
        return problems;
    }
}
