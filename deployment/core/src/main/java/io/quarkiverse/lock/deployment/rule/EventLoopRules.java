package io.quarkiverse.lock.deployment.rule;

import java.lang.reflect.Modifier;
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
import org.jboss.jandex.Type;
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
    private static final DotName CONSUME_EVENT = DotName.createSimple("io.quarkus.vertx.ConsumeEvent");
    private static final DotName ROUTE = DotName.createSimple("io.quarkus.vertx.web.Route");
    private static final DotName ROUTES = DotName.createSimple("io.quarkus.vertx.web.Route$Routes");
    private static final DotName ROUTE_FILTER = DotName.createSimple("io.quarkus.vertx.web.RouteFilter");
    private static final Set<String> GRPC_SERVICE = Set.of("io.grpc.BindableService");
    private static final DotName STREAM_OBSERVER = DotName.createSimple("io.grpc.stub.StreamObserver");

    private static final String ELSEWHERE = "@Blocking or @RunOnVirtualThread";
    private static final String STREAM = "return a Uni, a Multi or a CompletionStage, or ";

    private EventLoopRules() {
    }

    /**
     * The problem with a method that blocks; {@code null} if there is none.
     *
     * @param restClassic whether endpoints are those of RESTEasy Classic, which calls none on an event loop
     */
    static @Nullable String check(IndexView index, LockedCandidate candidate, boolean restClassic) {
        MethodInfo method = candidate.method();
        boolean ofBean = method.declaringClass().name().equals(candidate.beanName());
        if (ofBean && method.hasDeclaredAnnotation(ROUTE_FILTER)) { // which heeds no other annotation, and returns nothing
            return problem("with @RouteFilter", "take the lock in the route, or in a filter of Quarkus REST");
        }
        if (method.hasDeclaredAnnotation(VIRTUAL) || blocking(method)) {
            return null;
        }
        boolean nonBlocking = method.hasDeclaredAnnotation(NON_BLOCKING);
        if (ofBean && !nonBlocking && method.hasDeclaredAnnotation(CONSUME_EVENT)) {
            return problem("with @ConsumeEvent", "return a Uni or a CompletionStage, or put " + ELSEWHERE + " on it");
        }
        if (ofBean && !nonBlocking && route(method)) {
            return problem("with @Route", STREAM + "put " + ELSEWHERE + " on it");
        }
        // these also look at the class, and at @Transactional
        List<ClassInfo> classes = ClassChain.of(index, candidate.beanClass());
        if (classes.stream().anyMatch(type -> type.hasDeclaredAnnotation(VIRTUAL))
                || candidate.bindings().contains(LockDotNames.TRANSACTIONAL)) {
            return null;
        }
        if (nonBlocking) {
            return problem("with @NonBlocking", STREAM + "replace @NonBlocking by " + ELSEWHERE);
        }
        if (classes.stream().anyMatch(EventLoopRules::blocking)) {
            return null;
        }
        if (grpc(index, candidate)) {
            return problem("of a gRPC service", "put " + ELSEWHERE + " on it");
        }
        return ofBean && candidate.beanClass().hasDeclaredAnnotation(NON_BLOCKING) && !restClassic && endpoint(index, method)
                ? problem("with @NonBlocking on its class", STREAM + "put " + ELSEWHERE + " on the method")
                : null;
    }

    private static String problem(String which, String remedy) {
        return "@Locked on a blocking method " + which
                + ": Quarkus calls it on an event loop, where it may not wait for a lock: "
                + remedy;
    }

    /** The only annotations that count are those of the method, as with {@code @ConsumeEvent}. */
    private static boolean route(MethodInfo method) {
        AnnotationInstance several = method.declaredAnnotation(ROUTES);
        return Stream.concat(Stream.ofNullable(method.declaredAnnotation(ROUTE)),
                several == null ? Stream.empty() : Stream.of(several.value().asNestedArray()))
                .anyMatch(route -> route.value("type") == null || route.value("type").asEnum().equals("NORMAL"));
    }

    /** What is not public is no part of the service. */
    private static boolean grpc(IndexView index, LockedCandidate candidate) {
        MethodInfo method = candidate.method();
        return Modifier.isPublic(method.flags()) && method.returnType().kind() == Type.Kind.VOID
                && method.parameterTypes().stream().anyMatch(type -> type.name().equals(STREAM_OBSERVER))
                && ClassChain.leadsToOneOf(index, candidate.beanName(), GRPC_SERVICE);
    }

    /** By an annotation of its own, or by a member of another one, as in {@code @ConsumeEvent(blocking = true)}. */
    private static boolean blocking(AnnotationTarget place) {
        return place.declaredAnnotations().stream().anyMatch(each -> BLOCKING.contains(each.name()) || saysSo(each));
    }

    private static boolean saysSo(AnnotationInstance annotation) {
        AnnotationValue member = annotation.value("blocking");
        return member != null && member.kind() == AnnotationValue.Kind.BOOLEAN && member.asBoolean();
    }

    /** Whether REST calls it. Other methods of a class with {@code @NonBlocking} are called on the thread of their caller. */
    static boolean endpoint(IndexView index, MethodInfo method) {
        return method.declaredAnnotations().stream().map(each -> index.getClassByName(each.name()))
                .anyMatch(declaration -> declaration != null && declaration.hasDeclaredAnnotation(HTTP_METHOD));
    }
}
