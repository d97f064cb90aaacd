package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.ConsumeEvent;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.RouteFilter;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

/** Quarkus calls these methods on an event loop unless they say otherwise. */
class EventLoopCallersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Consumers.class, BlockingConsumers.class, Inherited.class,
                    Inheriting.class, Routes.class, Filters.class, RouteFilter.class, Route.class, Route.Routes.class,
                    Route.HandlerType.class,
                    BindableService.class, StreamObserver.class, Counters.class, CountersImplBase.class, Counter.class,
                    BlockingCounter.class, TransactionalCounter.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Consumers.class, "plain",
                        "@Locked on a blocking method with @ConsumeEvent: Quarkus calls it on an "
                                + "event loop",
                        "return a Uni or a CompletionStage, or put @Blocking or @RunOnVirtualThread on it");
                problems.has(Consumers.class, "transactional", "@ConsumeEvent");
                problems.has(BlockingConsumers.class, "ofClass", "@ConsumeEvent");
                problems.has(Routes.class, "plain", "@Locked on a blocking method with @Route: ");
                problems.has(Routes.class, "repeated", "@Route");
                for (String method : new String[] { "filter", "blockingFilter", "virtualFilter", "transactionalFilter" }) {
                    problems.has(Filters.class, method,
                            "@Locked on a blocking method with @RouteFilter: Quarkus calls it on an event loop",
                            "take the lock in the route, or in a filter of Quarkus REST");
                }
                problems.has(Counter.class, "next", "@Locked on a blocking method of a gRPC service: Quarkus calls it on an "
                        + "event loop", "put @Blocking or @RunOnVirtualThread on it");
                problems.nothingOf(Inherited.class, Inheriting.class, BlockingCounter.class, TransactionalCounter.class);
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void blockingMethodOnEventLoopDoesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Consumers {

        @Locked
        @ConsumeEvent("plain")
        void plain(String message) {
        }

        @Locked
        @Transactional
        @ConsumeEvent("transactional")
        void transactional(String message) {
        }

        @Locked
        @ConsumeEvent(value = "worker", blocking = true)
        void rightOnWorkers(String message) {
        }

        @Locked
        @Blocking
        @ConsumeEvent("blocking")
        void rightBlocking(String message) {
        }

        @Locked
        @RunOnVirtualThread
        @ConsumeEvent("virtual")
        void rightVirtual(String message) {
        }

        @Locked
        @ConsumeEvent("uni")
        Uni<Void> rightUni(String message) {
            return Uni.createFrom().voidItem();
        }

        @Locked
        @ConsumeEvent("stage")
        CompletionStage<Void> rightStage(String message) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** The event bus does not look at the class. */
    @Blocking
    @ApplicationScoped
    @Unremovable
    public static class BlockingConsumers {

        @Locked
        @ConsumeEvent("of-class")
        void ofClass(String message) {
        }
    }

    public abstract static class Inherited {

        @Locked
        @ConsumeEvent("inherited")
        void consume(String message) {
        }
    }

    /** The event bus does not look at inherited methods. */
    @ApplicationScoped
    @Unremovable
    public static class Inheriting extends Inherited {
    }

    @ApplicationScoped
    @Unremovable
    public static class Routes {

        @Route
        @Locked
        void plain() {
        }

        @Route(path = "one", type = Route.HandlerType.BLOCKING)
        @Route(path = "other")
        @Locked
        void repeated() {
        }

        @Route(type = Route.HandlerType.BLOCKING)
        @Locked
        void rightType() {
        }

        @Route
        @Blocking
        @Locked
        void rightBlocking() {
        }

        /** Called wherever the request has failed. */
        @Route(type = Route.HandlerType.FAILURE)
        @Locked
        void rightFailure() {
        }

        @Route
        @Locked
        Uni<String> rightUni() {
            return Uni.createFrom().item("");
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Filters {

        @RouteFilter
        @Locked
        void filter() {
        }

        @RouteFilter(20)
        @Blocking
        @Locked
        void blockingFilter() {
        }

        @RouteFilter
        @RunOnVirtualThread
        @Locked
        void virtualFilter() {
        }

        @RouteFilter
        @Transactional
        @Locked
        void transactionalFilter() {
        }
    }

    public interface Counters {

        default void next(String name, StreamObserver<String> answer) {
        }
    }

    /** Like generated code. */
    public abstract static class CountersImplBase implements BindableService, Counters {

        @Override
        public final Object bindService() {
            return this;
        }
    }

    @Singleton
    @Unremovable
    public static class Counter extends CountersImplBase {

        @Override
        @Locked("next-{name}")
        public void next(String name, StreamObserver<String> answer) {
        }

        @Locked
        void rightOwn(StreamObserver<String> answer) {
        }

        @Locked
        public void rightOther(String name) {
        }
    }

    @Singleton
    @Unremovable
    @Blocking
    public static class BlockingCounter extends CountersImplBase {

        @Override
        @Locked("next-{name}")
        public void next(String name, StreamObserver<String> answer) {
        }
    }

    @Singleton
    @Unremovable
    public static class TransactionalCounter extends CountersImplBase {

        @Override
        @Transactional
        @Locked("next-{name}")
        public void next(String name, StreamObserver<String> answer) {
        }
    }
}
