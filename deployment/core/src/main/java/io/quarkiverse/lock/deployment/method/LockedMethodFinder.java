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

import io.quarkiverse.lock.runtime.method.Interception;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.staticmethods.InterceptedStaticMethodBuildItem;
import io.quarkus.arc.processor.BeanDeployment;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * Finds the methods for which the interceptor is called by asking the container, which knows stereotypes and inherited
 * annotations. The container lists neither static methods nor those of objects behind an interception proxy, so these are
 * added.
 */
public final class LockedMethodFinder {

    private LockedMethodFinder() {
    }

    /**
     * In a fixed order, so that builds are reproducible.
     *
     * @param index of all classes that are not generated
     */
    public static List<LockedCandidate> find(IndexView index, ValidationPhaseBuildItem validation,
            List<InterceptedStaticMethodBuildItem> statics) {
        List<LockedCandidate> found = new ArrayList<>();
        BeanDeployment container = validation.getContext().get(Key.DEPLOYMENT);
        for (BeanInfo bean : validation.getContext().beans().classBeans()) {
            ClassInfo type = bean.getImplClazz();
            NearestAnnotations nearest = new NearestAnnotations(index, container, type);
            bean.getInterceptedMethodsBindings().forEach((method, bindings) -> add(found, type, home(index, type), method,
                    nearest.among(bindings, method), bindings));
        }
        for (InterceptedStaticMethodBuildItem each : statics) {
            NearestAnnotations nearest = new NearestAnnotations(index, container, each.getTarget());
            add(found, each.getTarget(), each.getTarget().name(), each.getMethod(),
                    nearest.among(each.getBindings(), each.getMethod()), each.getBindings());
        }
        addProxied(found, index, container, InterceptionProxies.of(index, validation.getContext().beans().stream()));
        found.sort(Comparator.comparing((LockedCandidate candidate) -> candidate.beanName().toString())
                .thenComparing(candidate -> candidate.method().toString()));
        return found;
    }

    private static void add(List<LockedCandidate> found, ClassInfo type, DotName home, MethodInfo method,
            List<AnnotationInstance> locked, Set<AnnotationInstance> bindings) {
        if (!locked.isEmpty()) {
            found.add(LockedCandidate.of(type, home, method, locked, bindings, null));
        }
    }

    private static void addProxied(List<LockedCandidate> found, IndexView index, BeanDeployment container,
            List<InterceptionProxies.Proxied> proxies) {
        for (InterceptionProxies.Proxied proxied : proxies) {
            NearestAnnotations nearest = new NearestAnnotations(index, container, proxied.annotated());
            proxied.intercepted().forEach((method, bindings) -> {
                List<AnnotationInstance> locked = nearest.among(bindings, proxied.annotated(method));
                if (!locked.isEmpty()) {
                    addProxied(found, LockedCandidate.of(proxied.type(), home(index, proxied.type()), method, locked, bindings,
                            proxied.producer()));
                }
            });
        }
    }

    /** Only once, even if beans or other producers have the same. */
    private static void addProxied(List<LockedCandidate> found, LockedCandidate proxied) {
        for (int i = 0; i < found.size(); i++) {
            LockedCandidate known = found.get(i);
            if (known.sameAs(proxied)) {
                if (known.interception() == Interception.BEAN) {
                    found.set(i, known.with(Interception.BOTH));
                }
                return;
            }
        }
        found.add(proxied);
    }

    /** The name of a generated class may change with each update: it means nothing outside its generator. */
    private static DotName home(IndexView index, ClassInfo type) {
        return index.getClassByName(type.name()) != null ? type.name()
                : type.interfaceNames().stream().filter(name -> index.getClassByName(name) != null).findFirst()
                        .orElse(type.name());
    }
}
