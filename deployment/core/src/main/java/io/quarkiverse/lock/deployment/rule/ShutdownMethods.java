package io.quarkiverse.lock.deployment.rule;

import jakarta.enterprise.event.Observes;

import org.jboss.jandex.DotName;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkus.runtime.Shutdown;
import io.quarkus.runtime.ShutdownEvent;

/** A method that Quarkus calls when the application stops, once it takes no more locks: the method would never run. */
final class ShutdownMethods {

    private static final DotName SHUTDOWN = DotName.createSimple(Shutdown.class);
    private static final DotName SHUTDOWN_EVENT = DotName.createSimple(ShutdownEvent.class);
    private static final DotName OBSERVES = DotName.createSimple(Observes.class);

    private ShutdownMethods() {
    }

    /** The problem with a method that Quarkus calls too late; {@code null} if it is another method. */
    static @Nullable String check(LockedCandidate candidate) {
        boolean atTheEnd = candidate.method().hasDeclaredAnnotation(SHUTDOWN)
                || candidate.method().parameters().stream().anyMatch(each -> each.type().name().equals(SHUTDOWN_EVENT)
                        && each.hasDeclaredAnnotation(OBSERVES));
        return atTheEnd ? "@Locked on an observer of ShutdownEvent or a @Shutdown method, which never runs: Quarkus calls it "
                + "when the application takes no more locks. Remove @Locked, which @NoClassInterceptors does for this method "
                + "if it is on the class, or observe ShutdownDelayInitiatedEvent instead (quarkus.shutdown.delay-enabled=true), "
                + "which comes earlier" : null;
    }
}
