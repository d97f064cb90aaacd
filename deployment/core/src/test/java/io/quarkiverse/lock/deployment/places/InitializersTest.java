package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** The container calls initializers before interceptors exist. */
class InitializersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Initialized.class, WholeClass.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Initialized.class, "initialize", "a method that the container calls", "@Inject",
                        "put it on a method of another bean, and call that from here");
                problems.nothingOf(WholeClass.class);
            });

    @Test
    void fault161_initializersLockNothing() {
        Assertions.fail();
    }

    @ApplicationScoped
    public static class Initialized {

        @Locked
        @Inject
        void initialize(LockManager locks) {
        }
    }

    @ApplicationScoped
    @Locked
    public static class WholeClass {

        @Inject
        void initialize(LockManager locks) {
        }

        void run() {
        }
    }
}
