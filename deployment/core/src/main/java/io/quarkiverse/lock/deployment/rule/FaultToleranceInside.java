package io.quarkiverse.lock.deployment.rule;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;

/**
 * Warns where fault tolerance is inside the lock, the default unless the application decides otherwise. It then sees neither
 * the wait for the lock nor a busy lock, and the lock stays held through all retries and their delays.
 */
public final class FaultToleranceInside {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");
    private static final String PRIORITY = "mp.fault.tolerance.interceptor.priority";
    /** Outside the lock (160), and inside security (150), the request context (100) and the cache (2). */
    private static final int OUTSIDE = 155;
    /** The default of fault tolerance. */
    private static final int INSIDE = 4010;

    private static final Set<DotName> ANNOTATIONS = Stream.of("org.eclipse.microprofile.faulttolerance.Asynchronous",
            "org.eclipse.microprofile.faulttolerance.Bulkhead", "org.eclipse.microprofile.faulttolerance.CircuitBreaker",
            "org.eclipse.microprofile.faulttolerance.Fallback", "org.eclipse.microprofile.faulttolerance.Retry",
            "org.eclipse.microprofile.faulttolerance.Timeout", "io.smallrye.faulttolerance.api.ApplyFaultTolerance",
            "io.smallrye.faulttolerance.api.ApplyGuard", "io.smallrye.faulttolerance.api.AsynchronousNonBlocking",
            "io.smallrye.faulttolerance.api.RateLimit").map(DotName::createSimple).collect(Collectors.toUnmodifiableSet());

    private FaultToleranceInside() {
    }

    /** Silent where the application has decided, either way. */
    public static void warn(LockedMethodBuildItem locked, IndexView index) {
        LockedCandidate candidate = locked.candidate();
        if (!candidate.bindings().contains(LockDotNames.FAULT_TOLERANCE)
                || ConfigProvider.getConfig().getOptionalValue(PRIORITY, String.class).isPresent()) {
            return;
        }
        Set<String> found = annotations(candidate, index);
        if (!found.isEmpty()) {
            LOG.warnf("[%s] has %s inside its lock: it sees neither the wait for the lock nor that it is busy, and the lock "
                    + "stays held through all retries and their delays. Set " + PRIORITY + "=" + OUTSIDE
                    + ", which puts fault tolerance outside all locks and transactions, or " + PRIORITY + "=" + INSIDE
                    + " to keep it inside without this warning", locked.definition().description(),
                    String.join(", ", found));
        }
    }

    /** As soon as one method has an annotation, the whole class has the binding, so the binding says nothing. */
    private static Set<String> annotations(LockedCandidate candidate, IndexView index) {
        Set<String> found = new TreeSet<>();
        add(found, candidate.method());
        add(found, candidate.method().declaringClass());
        for (ClassInfo type = candidate.beanClass(); type != null; type = type.superName() == null ? null
                : index.getClassByName(type.superName())) {
            add(found, type);
        }
        return found;
    }

    private static void add(Set<String> found, AnnotationTarget target) {
        for (DotName name : ANNOTATIONS) {
            AnnotationInstance annotation = target.declaredAnnotation(name);
            if (annotation != null) {
                found.add("@" + name.withoutPackagePrefix());
            }
        }
    }
}
