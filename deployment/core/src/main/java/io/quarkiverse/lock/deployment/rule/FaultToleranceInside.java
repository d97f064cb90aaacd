package io.quarkiverse.lock.deployment.rule;

import java.util.List;
import java.util.Optional;
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
 * Looks for fault tolerance inside the lock, where it is unless the application decides otherwise. It then sees neither the
 * wait for the lock nor a busy lock, and the lock stays held through all retries and their delays: a warning. It also
 * subscribes to what an asynchronous method returns and returns something of its own, so that a timeout, a cancellation or a
 * loss would end the hold but not the method: an error.
 */
public final class FaultToleranceInside {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");
    private static final String PRIORITY = "mp.fault.tolerance.interceptor.priority";
    /** The priority of the lock. */
    private static final int LOCK = 160;
    /** Outside the lock, and inside security (150), the request context (100) and the cache (2). */
    private static final int OUTSIDE = 155;
    /** The default of fault tolerance. */
    private static final int INSIDE = 4010;

    private static final Set<DotName> ANNOTATIONS = Stream.of("org.eclipse.microprofile.faulttolerance.Asynchronous",
            "org.eclipse.microprofile.faulttolerance.Bulkhead", "org.eclipse.microprofile.faulttolerance.CircuitBreaker",
            "org.eclipse.microprofile.faulttolerance.Fallback", "org.eclipse.microprofile.faulttolerance.Retry",
            "org.eclipse.microprofile.faulttolerance.Timeout", "io.smallrye.faulttolerance.api.ApplyFaultTolerance",
            "io.smallrye.faulttolerance.api.ApplyGuard", "io.smallrye.faulttolerance.api.AsynchronousNonBlocking",
            "io.smallrye.faulttolerance.api.RateLimit").map(DotName::createSimple).collect(Collectors.toUnmodifiableSet());
    /** Fault tolerance treats exactly these as asynchronous. To it, a method that returns anything else is a blocking one. */
    private static final Set<DotName> ASYNCHRONOUS = Set.of(LockDotNames.UNI, LockDotNames.COMPLETION_STAGE);

    private FaultToleranceInside() {
    }

    /** The warning is left out where the application has decided, the error is not. */
    public static void check(LockedMethodBuildItem locked, IndexView index, List<Throwable> problems) {
        LockedCandidate candidate = locked.candidate();
        Set<String> found = annotations(candidate, index);
        if (found.isEmpty() || !isInside()) {
            return;
        }
        DotName returned = candidate.method().returnType().name(); // erased, as fault tolerance sees it
        if (ASYNCHRONOUS.contains(returned)) {
            problems.add(candidate.problem("@Locked with " + String.join(", ", found) + " on a method that returns a "
                    + returned.withoutPackagePrefix() + ": fault tolerance is inside the lock, so after a timeout, a "
                    + "cancellation or a lost lock the lock would be free while the method still runs. Set " + PRIORITY + "="
                    + OUTSIDE + ", which puts fault tolerance outside all locks and transactions"));
        } else if (decided().isEmpty()) {
            LOG.warnf("[%s] has %s inside its lock: it sees neither the wait for the lock nor that it is busy, and the lock "
                    + "stays held through all retries and their delays. Set " + PRIORITY + "=" + OUTSIDE
                    + ", which puts fault tolerance outside all locks and transactions, or " + PRIORITY + "=" + INSIDE
                    + " to keep it inside without this warning", locked.definition().description(),
                    String.join(", ", found));
        }
    }

    static boolean isInside() {
        return decided().orElse(INSIDE) >= LOCK;
    }

    private static Optional<Integer> decided() {
        return ConfigProvider.getConfig().getOptionalValue(PRIORITY, Integer.class);
    }

    /** As soon as one method has an annotation, the whole class has the binding, so the binding alone says nothing. */
    static Set<String> annotations(LockedCandidate candidate, IndexView index) {
        Set<String> found = new TreeSet<>();
        if (!candidate.bindings().contains(LockDotNames.FAULT_TOLERANCE)) {
            return found;
        }
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
