package io.quarkiverse.lock.deployment.rule;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.TypeBindings;
import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/**
 * A REST resource's method with {@code @Path} that answers no HTTP method only finds the object that does, a sub-resource. It
 * has returned, and its lock is free, before that object's method is called.
 */
public final class SubResourceLocators {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final DotName PATH = DotName.createSimple("jakarta.ws.rs.Path");
    private static final DotName CLASS = DotName.createSimple(Class.class);
    private static final DotName REST_CLIENT = DotName
            .createSimple("org.eclipse.microprofile.rest.client.inject.RegisterRestClient");

    private SubResourceLocators() {
    }

    /** The annotation of a class, which may be meant for the other methods, is only warned about. */
    public static void check(LockedMethodBuildItem locked, IndexView index, List<Throwable> problems) {
        LockedCandidate candidate = locked.candidate();
        if (!locator(index, candidate)) {
            return;
        }
        boolean client = client(index, candidate);
        String instead = client ? "put @Locked on the method of a bean that calls the sub-client"
                : "put @Locked on the methods of " + subResource(index, candidate)
                        + ", which has to be a bean, and the locator has to return the injected one";
        if (candidate.ofClass()) {
            LOG.warnf("[%s] is a sub-resource locator, and its lock is released before the sub-resource's method is called: "
                    + "%s%s", locked.definition().description(), instead,
                    client ? "" : "; exempt the locator with @NoClassInterceptors, but from all interceptors of the class");
        } else {
            problems.add(candidate.problem("@Locked on a sub-resource locator: the lock is released before the sub-resource's "
                    + "method is called: " + instead));
        }
    }

    /** Whether the bean is generated for the interface of a REST client, whose sub-clients are no beans. */
    private static boolean client(IndexView index, LockedCandidate candidate) {
        ClassInfo home = index.getClassByName(candidate.home());
        return home != null && home.hasDeclaredAnnotation(REST_CLIENT);
    }

    /** As far as the declared type says: a locator may also return the class. */
    private static String subResource(IndexView index, LockedCandidate candidate) {
        MethodInfo method = candidate.method();
        Type type = TypeBindings.of(index, candidate.beanClass(), method).resolve(method.returnType());
        if (type.name().equals(CLASS) && type.kind() == Type.Kind.PARAMETERIZED_TYPE) {
            type = type.asParameterizedType().arguments().get(0);
        }
        return type.name().equals(CLASS) || type.name().equals(DotName.OBJECT_NAME) ? "the sub-resource"
                : type.name().toString();
    }

    /** REST also reads the annotations of what the method implements or overrides. */
    private static boolean locator(IndexView index, LockedCandidate candidate) {
        MethodInfo method = candidate.method();
        List<DotName> parameters = TypeBindings.parameters(index, candidate.beanClass(), method);
        List<MethodInfo> declarations = ClassChain.withInterfaces(index, candidate.beanClass()).values().stream()
                .flatMap(type -> type.methods().stream()).filter(each -> each.name().equals(method.name())
                        && TypeBindings.parameters(index, candidate.beanClass(), each).equals(parameters))
                .toList();
        return declarations.stream().anyMatch(each -> each.hasDeclaredAnnotation(PATH))
                && declarations.stream().noneMatch(each -> EventLoopRules.endpoint(index, each));
    }
}
