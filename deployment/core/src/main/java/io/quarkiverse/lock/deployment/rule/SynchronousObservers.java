package io.quarkiverse.lock.deployment.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.DotName;

import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockBusy;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockReleaseRequested;
import io.quarkiverse.lock.LockReleased;
import io.quarkiverse.lock.deployment.method.LockDefinitionException;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.processor.BuildExtension.Key;
import io.quarkus.arc.processor.ObserverInfo;

/** Observers of lock events that would never be called: these events are fired asynchronously, never in the path of a lock. */
public final class SynchronousObservers {

    static final Set<DotName> EVENTS = Set.of(DotName.createSimple(LockAcquired.class),
            DotName.createSimple(LockReleased.class), DotName.createSimple(LockLost.class),
            DotName.createSimple(LockBusy.class),
            DotName.createSimple(LockReleaseRequested.class));

    private SynchronousObservers() {
    }

    /** Observers of any object are ignored: they are for other events. */
    public static List<LockDefinitionException> find(ValidationPhaseBuildItem validation) {
        List<LockDefinitionException> problems = new ArrayList<>();
        for (ObserverInfo observer : validation.getContext().get(Key.OBSERVERS)) {
            DotName event = observer.getObservedType().name();
            if (!observer.isAsync() && !observer.isSynthetic() && EVENTS.contains(event)) {
                problems.add(new LockDefinitionException(observer.getObserverMethod().declaringClass().name(),
                        observer.getObserverMethod().name(), "@Observes " + event.withoutPackagePrefix()
                                + " is never called: events of locks are fired asynchronously, so that no observer delays a "
                                + "lock. Write @ObservesAsync"));
            }
        }
        return problems;
    }
}
