package io.quarkiverse.lock.deployment.method;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkus.arc.NoClassInterceptors;
import io.quarkus.arc.processor.BeanDeployment;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * The beans of the application, and which of their methods the container reports as intercepted for {@code @Locked}. An object
 * that a producer passes through an interception proxy counts as a bean.
 */
public final class LockedBeans {

    private static final DotName NO_CLASS_INTERCEPTORS = DotName.createSimple(NoClassInterceptors.class);

    private final IndexView index;
    private final BeanDeployment container;
    private final List<LockedBean> beans;

    /**
     * A bean.
     *
     * @param types its class, the class's parents, nearest first, and the interfaces of all of them
     * @param locked its intercepted methods, by name and parameters
     * @param alternative whether it replaces another bean
     * @param bindingsSource whether the class only lends its annotations to an object behind an interception proxy
     */
    public record LockedBean(Map<DotName, ClassInfo> types, Set<String> locked, boolean alternative,
            boolean bindingsSource) {

        /** Whether calls of this method take a lock. For an overridden method, ask about the overriding one. */
        public boolean locks(MethodInfo method) {
            return locked.contains(signature(method));
        }

        public ClassInfo type() {
            return types.values().iterator().next();
        }

        boolean is(DotName type) {
            return types.containsKey(type);
        }

        /** The class and its parents, the class first. */
        public List<ClassInfo> classes() {
            return types.values().stream().filter(type -> !type.isInterface()).toList();
        }
    }

    /** Includes beans that were removed as unused: their annotations matter just as much. */
    public LockedBeans(IndexView index, ValidationContext context) {
        this.index = index;
        this.container = context.get(Key.DEPLOYMENT);
        this.beans = Stream.concat(
                Stream.concat(context.beans().classBeans().stream(), context.removedBeans().classBeans().stream())
                        .map(this::of),
                InterceptionProxies.of(index, Stream.concat(context.beans().stream(), context.removedBeans().stream()))
                        .stream().map(this::of))
                .distinct()
                .sorted(Comparator.comparing(bean -> bean.type().name()))
                .toList();
    }

    private LockedBean of(BeanInfo bean) {
        return new LockedBean(ClassChain.withInterfaces(index, bean.getImplClazz()),
                locked(bean.getInterceptedMethodsBindings()), bean.isAlternative(), false);
    }

    /** As if the class with the annotations were the bean. */
    private LockedBean of(InterceptionProxies.Proxied proxied) {
        return new LockedBean(ClassChain.withInterfaces(index, proxied.annotated()), locked(proxied.intercepted()),
                proxied.alternative(), proxied.bindingsSource() != null);
    }

    private static Set<String> locked(Map<MethodInfo, Set<AnnotationInstance>> intercepted) {
        return intercepted.entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(binding -> binding.name().equals(LockDotNames.LOCKED)))
                .map(entry -> signature(entry.getKey()))
                .collect(Collectors.toUnmodifiableSet());
    }

    static String signature(MethodInfo method) {
        return method.name() + method.descriptor().substring(0, method.descriptor().indexOf(')') + 1);
    }

    /** Beans of this type: of the class, a subclass, or a class that implements the interface. */
    public List<LockedBean> ofType(DotName type) {
        return beans.stream().filter(bean -> bean.is(type)).toList();
    }

    /** Whether the interceptors of its class are not for this method, as its class file or a build step says. */
    public boolean exempt(MethodInfo method) {
        return container.hasAnnotation(method, NO_CLASS_INTERCEPTORS);
    }
}
