package io.quarkiverse.lock.deployment.rule;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.deployment.index.ClassChain;
import io.quarkiverse.lock.deployment.index.LockDotNames;
import io.quarkiverse.lock.deployment.method.LockedCandidate;

/**
 * A blocking method that Quarkus calls on an event loop, where each of its calls would be refused. Where another annotation may
 * lead it elsewhere, the call decides.
 */
final class EventLoopRules {

    private static final DotName NON_BLOCKING = DotName.createSimple("io.smallrye.common.annotation.NonBlocking");
    private static final DotName VIRTUAL = DotName.createSimple("io.smallrye.common.annotation.RunOnVirtualThread");
    private static final Set<DotName> BLOCKING = Set.of(
            DotName.createSimple("io.smallrye.common.annotation.Blocking"),
            DotName.createSimple("io.smallrye.reactive.messaging.annotations.Blocking"));
    /** On the annotations of REST endpoints, such as {@code @GET}. */
    private static final DotName HTTP_METHOD = DotName.createSimple("jakarta.ws.rs.HttpMethod");

    private EventLoopRules() {
    }

    /**
     * The problem with a method that blocks; {@code null} if there is none.
     *
     * @param restClassic whether endpoints are those of RESTEasy Classic, which calls none on an event loop
     */
    static @Nullable String check(IndexView index, LockedCandidate candidate, boolean restClassic) {
        MethodInfo method = candidate.method();
        List<ClassInfo> classes = ClassChain.of(index, candidate.beanClass());
        if (Stream.concat(Stream.of(method), classes.stream()).anyMatch(place -> place.hasDeclaredAnnotation(VIRTUAL))
                || candidate.bindings().contains(LockDotNames.TRANSACTIONAL) || blocking(method)) {
            return null;
        }
        if (method.hasDeclaredAnnotation(NON_BLOCKING)) {
            return problem("", "replace @NonBlocking by @Blocking or @RunOnVirtualThread");
        }
        boolean ofClass = candidate.beanClass().hasDeclaredAnnotation(NON_BLOCKING)
                && method.declaringClass().name().equals(candidate.beanName())
                && classes.stream().noneMatch(EventLoopRules::blocking);
        return ofClass && !restClassic && endpoint(index, method)
                ? problem(" on its class", "put @Blocking or @RunOnVirtualThread on the method")
                : null;
    }

    private static String problem(String place, String remedy) {
        return "@Locked on a blocking method with @NonBlocking" + place
                + ": Quarkus calls it on an event loop, where it may not "
                + "wait for a lock: return a Uni, a Multi or a CompletionStage, or " + remedy;
    }

    /** By an annotation of its own, or by a member of another one, as in {@code @ConsumeEvent(blocking = true)}. */
    private static boolean blocking(AnnotationTarget place) {
        return place.declaredAnnotations().stream().anyMatch(each -> BLOCKING.contains(each.name()) || saysSo(each));
    }

    private static boolean saysSo(AnnotationInstance annotation) {
        AnnotationValue member = annotation.value("blocking");
        return member != null && member.kind() == AnnotationValue.Kind.BOOLEAN && member.asBoolean();
    }

    /** Other methods of a class with {@code @NonBlocking} are called on the thread of their caller. */
    private static boolean endpoint(IndexView index, MethodInfo method) {
        return method.declaredAnnotations().stream().map(each -> index.getClassByName(each.name()))
                .anyMatch(declaration -> declaration != null && declaration.hasDeclaredAnnotation(HTTP_METHOD));
    }
}
