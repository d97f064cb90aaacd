package io.quarkiverse.lock.deployment.places;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;

/** The container calls these methods without an interceptor. */
class LifecycleMethodsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Called.class, OnlyLifecycle.class, WholeClass.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                for (String method : new String[] { "begin", "end", "around" }) {
                    problems.has(Called.class, method, "a method that the container calls",
                            "put it on a method of another bean, and call that from here");
                }
                problems.hasClass(OnlyLifecycle.class, "no method that could be locked");
                problems.nothingOf(WholeClass.class);
            });

    @Test
    void fault131_lifecycleMethodsLockNothing() {
        Assertions.fail();
    }

    @ApplicationScoped
    public static class Called {

        @Locked
        @PostConstruct
        void begin() {
        }

        @Locked
        @PreDestroy
        void end() {
        }

        @Locked
        @AroundInvoke
        Object around(InvocationContext invocation) throws Exception {
            return invocation.proceed();
        }

        @Locked
        void observe(@Observes StartupEvent event) {
        }

        @Locked
        @Produces
        StringBuilder produce() {
            return new StringBuilder();
        }

        @Locked
        @Inject
        void initialize(WholeClass other) {
        }
    }

    @ApplicationScoped
    @Locked
    public static class OnlyLifecycle {

        @PostConstruct
        void begin() {
        }
    }

    @ApplicationScoped
    @Locked
    public static class WholeClass {

        @PostConstruct
        void begin() {
        }

        void run() {
        }
    }
}
