package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HttpMethod;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.ConsumeEvent;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

/** A blocking method that Quarkus calls on an event loop fails the build, since each call would be refused. */
class NonBlockingTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Consumers.class, Endpoints.class, BlockingEndpoints.class, GET.class,
                    HttpMethod.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Consumers.class, "blocking", "@Locked on a blocking method with @NonBlocking",
                        "return a Uni, a Multi or a CompletionStage, or replace @NonBlocking by @Blocking or "
                                + "@RunOnVirtualThread");
                problems.has(Endpoints.class, "blocking", "@NonBlocking on its class");
                problems.has(BlockingEndpoints.class, "notBlocking", "@Locked on a blocking method with @NonBlocking");
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Consumers {

        @Locked
        @NonBlocking
        @ConsumeEvent("blocking")
        void blocking(String message) {
        }

        @Locked
        @NonBlocking
        @ConsumeEvent("uni")
        Uni<Void> rightUni(String message) {
            return Uni.createFrom().voidItem();
        }

        @Locked
        @NonBlocking
        @ConsumeEvent(value = "worker", blocking = true)
        void rightOnWorkers(String message) {
        }

        @Locked
        @ConsumeEvent("plain")
        @Blocking
        void rightBlocking(String message) {
        }
    }

    @ApplicationScoped
    @Unremovable
    @NonBlocking
    public static class Endpoints {

        @GET
        @Locked
        public String blocking() {
            return "";
        }

        @GET
        @Locked
        @Blocking
        public String rightBlocking() {
            return "";
        }

        @GET
        @Locked
        @RunOnVirtualThread
        public String rightVirtual() {
            return "";
        }

        /** Not an endpoint: called on whatever thread its caller is. */
        @Locked
        public void right() {
        }
    }

    @ApplicationScoped
    @Unremovable
    @Blocking
    public static class BlockingEndpoints {

        @Locked
        @NonBlocking
        @ConsumeEvent("not-blocking")
        public void notBlocking(String message) {
        }

        @Locked
        public void right() {
        }
    }
}
