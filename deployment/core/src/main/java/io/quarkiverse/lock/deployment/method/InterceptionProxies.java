package io.quarkiverse.lock.deployment.method;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkus.arc.InterceptionProxy;
import io.quarkus.arc.processor.BeanInfo;

/**
 * Classes whose objects are intercepted although the container does not create them: producers and synthetic beans pass them
 * through an {@link InterceptionProxy}. The container does not publish which of their methods it intercepts, so it is asked by
 * reflection; the alternative would be to repeat all its rules.
 */
public final class InterceptionProxies {

    private static final DotName PROXY = DotName.createSimple(InterceptionProxy.class);

    private InterceptionProxies() {
    }

    /**
     * One such class.
     *
     * @param producer for messages: what makes the objects, of which type, and with whose annotations
     * @param type the type that the producer declares, a class or an interface
     * @param bindingsSource the class whose annotations count instead of those of the type
     * @param intercepted the methods, with all their bindings
     * @param alternative whether it replaces another bean
     */
    record Proxied(String producer, ClassInfo type, @Nullable ClassInfo bindingsSource,
            Map<MethodInfo, Set<AnnotationInstance>> intercepted, boolean alternative) {

        /** The class that carries the annotations. */
        ClassInfo annotated() {
            return bindingsSource == null ? type : bindingsSource;
        }

        /** The method whose annotations count; {@code null} if only those of the class do. */
        @Nullable
        MethodInfo annotated(MethodInfo method) {
            return bindingsSource == null ? method
                    : bindingsSource.method(method.name(), method.parameterTypes().toArray(Type[]::new));
        }
    }

    /** Whether the bean's object goes through a proxy. */
    public static boolean has(BeanInfo bean) {
        return bean.getAllInjectionPoints().stream().anyMatch(point -> point.getRequiredType().name().equals(PROXY));
    }

    /** In a fixed order. */
    static List<Proxied> of(IndexView index, Stream<BeanInfo> beans) {
        return beans.filter(InterceptionProxies::has).map(bean -> of(index, bean)).filter(Objects::nonNull)
                .sorted(Comparator.comparing((Proxied each) -> each.type().name())
                        .thenComparing(each -> each.annotated().name()).thenComparing(Proxied::producer))
                .toList();
    }

    private static @Nullable Proxied of(IndexView index, BeanInfo bean) {
        Object proxy = read(bean, "getInterceptionProxy");
        if (proxy == null) {
            return null; // only a producer may have one, which the container is about to report
        }
        BeanInfo target = (BeanInfo) read(proxy, "getPseudoBean");
        DotName source = (DotName) read(proxy, "getBindingsSourceClass");
        return new Proxied(producer(bean, target, source), target.getImplClazz(),
                source == null ? null : index.getClassByName(source),
                target.getInterceptedMethodsBindings(), bean.isAlternative());
    }

    private static String producer(BeanInfo bean, BeanInfo target, @Nullable DotName source) {
        return bean.getTarget().filter(place -> place.kind() == AnnotationTarget.Kind.METHOD).map(AnnotationTarget::asMethod)
                .map(method -> "the producer " + method.declaringClass().name() + '.' + method.name())
                .orElse("the synthetic bean") + " of " + target.getImplClazz().name()
                + (source == null ? "" : " with the annotations of " + source);
    }

    private static @Nullable Object read(Object owner, String name) {
        try {
            Method method = owner.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return method.invoke(owner);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of Quarkus does not say what an InterceptionProxy intercepts: "
                    + "please report it to Quarkus Lock", e);
        }
    }
}
