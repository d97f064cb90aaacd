package io.quarkiverse.lock.deployment.rule;

import java.util.List;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
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

    private SubResourceLocators() {
    }

    /** The annotation of a class, which may be meant for the other methods, is only warned about. */
    public static void check(LockedMethodBuildItem locked, IndexView index, List<Throwable> problems) {
        LockedCandidate candidate = locked.candidate();
        if (!locator(index, candidate)) {
            return;
        }
        DotName returned = candidate.method().returnType().name();
        if (candidate.ofClass()) {
            LOG.warnf("[%s] is a sub-resource locator, and its lock is released before the sub-resource's method is called: "
                    + "put @Locked on the methods of %s, which has to be a bean, and exempt the locator from the lock of its "
                    + "class with @NoClassInterceptors", locked.definition().description(), returned);
        } else {
            problems.add(candidate.problem("@Locked on a sub-resource locator: the lock is released before the sub-resource's "
                    + "method is called: put @Locked on the methods of " + returned + ", which has to be a bean"));
        }
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
