package io.quarkiverse.lock.deployment.index;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jboss.jandex.DotName;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Types that the build looks for. */
public final class LockDotNames {

    public static final DotName LOCKED = DotName.createSimple(Locked.class);
    public static final DotName TRANSACTIONAL = DotName.createSimple("jakarta.transaction.Transactional");
    /** Annotations that open a session of Hibernate Reactive around a method, most of them with a transaction. */
    public static final Set<DotName> WITH_SESSION = Set.of(
            DotName.createSimple("io.quarkus.hibernate.reactive.panache.common.WithTransaction"),
            DotName.createSimple("io.quarkus.hibernate.reactive.panache.common.WithSession"),
            DotName.createSimple("io.quarkus.hibernate.reactive.panache.common.WithSessionOnDemand"),
            DotName.createSimple("io.quarkus.hibernate.reactive.panache.common.runtime.ReactiveTransactional"));
    /**
     * If one of these is present, {@code @Transactional} on a {@code Uni} means a transaction of Hibernate Reactive: since
     * Quarkus 3.35.
     */
    public static final Set<String> REACTIVE_TRANSACTIONS = Set.of(
            "io.quarkus.reactive.transaction.TransactionalInterceptorBase",
            "io.quarkus.reactive.transaction.runtime.TransactionalInterceptorBase");
    /** What Hibernate Validator validates: methods of beans, and endpoints of Quarkus REST. */
    public static final DotName METHOD_VALIDATED = DotName
            .createSimple("io.quarkus.hibernate.validator.runtime.interceptor.MethodValidated");
    public static final DotName ENDPOINT_VALIDATED = DotName
            .createSimple("io.quarkus.hibernate.validator.runtime.jaxrs.JaxrsEndPointValidated");
    /** On each class with a fault tolerance annotation anywhere. */
    public static final DotName FAULT_TOLERANCE = DotName.createSimple("io.smallrye.faulttolerance.FaultToleranceBinding");
    /** Classes that Hibernate enhances at build time: it reads their fields through methods it adds. */
    public static final Set<DotName> PERSISTENT = Set.of(
            DotName.createSimple("jakarta.persistence.Entity"),
            DotName.createSimple("jakarta.persistence.MappedSuperclass"),
            DotName.createSimple("jakarta.persistence.Embeddable"));
    public static final DotName TRANSIENT = DotName.createSimple("jakarta.persistence.Transient");
    public static final DotName HIBERNATE = DotName.createSimple("org.hibernate.Hibernate");
    public static final DotName KOTLIN = DotName.createSimple("kotlin.Metadata");
    public static final DotName UNI = DotName.createSimple(Uni.class);
    public static final DotName MULTI = DotName.createSimple(Multi.class);
    public static final DotName COMPLETION_STAGE = DotName.createSimple(CompletionStage.class);
    public static final DotName COMPLETABLE_FUTURE = DotName.createSimple(CompletableFuture.class);
    public static final DotName CONTINUATION = DotName.createSimple("kotlin.coroutines.Continuation");

    private LockDotNames() {
    }
}
