package io.quarkiverse.lock.deployment.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.staticmethods.InterceptedStaticMethodBuildItem;
import io.quarkus.arc.processor.BeanDeployment;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * Finds the methods that the interceptor is called for by asking the container, which knows stereotypes and inherited
 * annotations. It does not list static methods, so these are added.
 */
public final class LockedMethodFinder {

    private LockedMethodFinder() {
    }

    /**
     * In a fixed order, so that builds can be repeated.
     *
     * @param index of all classes that are not generated
     */
    public static List<LockedCandidate> find(IndexView index, ValidationPhaseBuildItem validation,
            List<InterceptedStaticMethodBuildItem> statics) {
        List<LockedCandidate> found = new ArrayList<>();
        BeanDeployment container = validation.getContext().get(Key.DEPLOYMENT);
        for (BeanInfo bean : validation.getContext().beans().classBeans()) {
            ClassInfo type = bean.getImplClazz();
            bean.getInterceptedMethodsBindings()
                    .forEach((method, bindings) -> add(found, new NearestAnnotations(index, container, type), type,
                            home(index, type), method, bindings));
        }
        for (InterceptedStaticMethodBuildItem method : statics) {
            add(found, new NearestAnnotations(index, container, method.getTarget()), method.getTarget(),
                    method.getTarget().name(), method.getMethod(), method.getBindings());
        }
        found.sort(Comparator.comparing((LockedCandidate candidate) -> candidate.beanName().toString())
                .thenComparing(candidate -> candidate.method().toString()));
        return found;
    }

    private static void add(List<LockedCandidate> found, NearestAnnotations nearest, ClassInfo type, DotName home,
            MethodInfo method, Set<AnnotationInstance> bindings) {
        List<AnnotationInstance> locked = nearest.among(bindings, method);
        if (!locked.isEmpty()) {
            found.add(LockedCandidate.of(type, home, method, locked, bindings));
        }
    }

    /** A generated class may be called otherwise after each update: its name is nobody's but the generator's. */
    private static DotName home(IndexView index, ClassInfo type) {
        return index.getClassByName(type.name()) != null ? type.name()
                : type.interfaceNames().stream().filter(name -> index.getClassByName(name) != null).findFirst()
                        .orElse(type.name());
    }
}
