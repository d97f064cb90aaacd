package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A class with several constructors, none of which the container may choose, is not a bean, although it has a scope. */
class ConstructorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Several.class, WholeClass.class, Chosen.class, Plain.class,
                    ByHand.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Several.class, "pay", "give it a scope",
                        "as it has several constructors, one without parameters or one with @Inject");
                problems.hasClass(WholeClass.class, "one without parameters or one with @Inject");
                problems.nothingOf(Chosen.class);
                problems.nothingOf(Plain.class);
                problems.nothingOf(ByHand.class);
            });

    @Test
    void fault174_classWithAmbiguousConstructorsIsNoBean() {
        Assertions.fail();
    }

    @ApplicationScoped
    public static class Several {

        public Several(String one) {
        }

        public Several(int two) {
        }

        @Locked
        void pay() {
        }
    }

    @Locked
    @ApplicationScoped
    public static class WholeClass {

        public WholeClass(String one) {
        }

        public WholeClass(int two) {
        }

        void pay() {
        }
    }

    @Unremovable
    @ApplicationScoped
    public static class Chosen {

        @Inject
        public Chosen(Plain plain) {
        }

        public Chosen(int two) {
        }

        @Locked
        void pay() {
        }
    }

    @Unremovable
    @ApplicationScoped
    public static class Plain {

        public Plain() {
        }

        public Plain(int two) {
        }

        @Locked
        void pay() {
        }
    }

    @Vetoed
    @ApplicationScoped
    public static class ByHand {

        public ByHand(String one) {
        }

        public ByHand(int two) {
        }

        @Locked
        void pay() {
        }
    }
}
