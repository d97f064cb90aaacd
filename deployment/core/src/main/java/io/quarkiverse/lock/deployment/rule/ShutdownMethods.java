package io.quarkiverse.lock.deployment.rule;

import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.context.Destroyed;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;

import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkus.runtime.Shutdown;
import io.quarkus.runtime.ShutdownEvent;

/**
 * A method that Quarkus calls when the application stops, once it takes no more locks: the method would never run. Or before it
 * takes any: the application would not start.
 */
final class ShutdownMethods {

    private static final DotName SHUTDOWN = DotName.createSimple(Shutdown.class);
    private static final DotName SHUTDOWN_EVENT = DotName.createSimple(ShutdownEvent.class);
    private static final DotName OBSERVES = DotName.createSimple(Observes.class);
    private static final DotName APPLICATION_SCOPED = DotName.createSimple(ApplicationScoped.class);
    private static final Set<DotName> ENDS = Set.of(DotName.createSimple(BeforeDestroyed.class),
            DotName.createSimple(Destroyed.class));
    private static final Set<DotName> BEGINS = Set.of(DotName.createSimple(Initialized.class));

    private ShutdownMethods() {
    }

    /** The problem with a method that Quarkus calls too late, or too early; {@code null} if it is another method. */
    static @Nullable String check(LockedCandidate candidate) {
        MethodInfo method = candidate.method();
        if (method.hasDeclaredAnnotation(SHUTDOWN) || method.parameters().stream().anyMatch(
                each -> observed(each) && (each.type().name().equals(SHUTDOWN_EVENT) || application(each, ENDS)))) {
            return "@Locked on an observer of ShutdownEvent or of the application's end, or a @Shutdown method, which never "
                    + "runs: Quarkus calls it when the application takes no more locks. Remove @Locked, which "
                    + "@NoClassInterceptors does for this method if it is on the class, or observe "
                    + "ShutdownDelayInitiatedEvent instead (quarkus.shutdown.delay-enabled=true), which comes earlier";
        }
        return method.parameters().stream().anyMatch(each -> observed(each) && application(each, BEGINS))
                ? "@Locked on an observer of @Initialized(ApplicationScoped.class), which always fails: Quarkus calls it before "
                        + "the application takes locks, and then does not start. Remove @Locked, which @NoClassInterceptors "
                        + "does for this method if it is on the class, or observe StartupEvent instead, which comes later"
                : null;
    }

    private static boolean observed(MethodParameterInfo parameter) {
        return parameter.hasDeclaredAnnotation(OBSERVES);
    }

    /** Whether it asks for one of these events of the context that lasts as long as the application. */
    private static boolean application(MethodParameterInfo parameter, Set<DotName> events) {
        return parameter.declaredAnnotations().stream().anyMatch(
                each -> events.contains(each.name()) && each.value().asClass().name().equals(APPLICATION_SCOPED));
    }
}
