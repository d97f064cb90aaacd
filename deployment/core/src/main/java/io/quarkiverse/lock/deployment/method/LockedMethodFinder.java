package io.quarkiverse.lock.deployment.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.staticmethods.InterceptedStaticMethodBuildItem;
import io.quarkus.arc.processor.BeanInfo;

/**
 * Finds the methods that the interceptor is called for by asking the container, which knows stereotypes and inherited
 * annotations. It does not list static methods, so these are added.
 */
public final class LockedMethodFinder {

    private LockedMethodFinder() {
    }

    /** In a fixed order, so that builds can be repeated. */
    public static List<LockedCandidate> find(ValidationPhaseBuildItem validation,
            List<InterceptedStaticMethodBuildItem> statics) {
        List<LockedCandidate> found = new ArrayList<>();
        for (BeanInfo bean : validation.getContext().beans().classBeans()) {
            bean.getInterceptedMethodsBindings().forEach((method, bindings) -> LockedBeans.locked(bindings)
                    .ifPresent(locked -> found.add(LockedCandidate.of(bean.getImplClazz(), method, locked, bindings))));
        }
        for (InterceptedStaticMethodBuildItem method : statics) {
            LockedBeans.locked(method.getBindings()).ifPresent(locked -> found
                    .add(LockedCandidate.of(method.getTarget(), method.getMethod(), locked, method.getBindings())));
        }
        found.sort(Comparator.comparing((LockedCandidate candidate) -> candidate.beanName().toString())
                .thenComparing(candidate -> candidate.method().toString()));
        return found;
    }
}
