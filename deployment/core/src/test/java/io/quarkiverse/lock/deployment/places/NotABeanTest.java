package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** An annotation that locks nothing because its class is not a bean. */
class NotABeanTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Plain.class, WholeClass.class, Produced.class, Producer.class,
                    Inner.class, Parent.class, Bean.class, Unused.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Plain.class, "pay", "the class is not a bean; give it a scope");
                problems.hasClass(WholeClass.class, "the class is not a bean; give it a scope");
                problems.has(Produced.class, "pay", "the class is not a bean");
                problems.has(Inner.class, "pay", "the class is not a bean");
                problems.nothingOf(Parent.class, Bean.class, Unused.class);
            });

    @Test
    void fault131_annotationsOutsideOfBeansLockNothing() {
        Assertions.fail();
    }

    public static class Plain {

        @Locked
        void pay() {
        }

        @Locked
        static void fine() {
        }
    }

    @Locked
    public static class WholeClass {

        void pay() {
        }
    }

    public static class Produced {

        @Locked
        void pay() {
        }
    }

    @ApplicationScoped
    public static class Producer {

        @Produces
        Produced produced() {
            return new Produced();
        }
    }

    @ApplicationScoped
    public class Inner {

        @Locked
        void pay() {
        }
    }

    public static class Parent {

        @Locked
        void inherited() {
        }
    }

    @ApplicationScoped
    public static class Bean extends Parent {
    }

    @ApplicationScoped
    public static class Unused {

        @Locked
        void unused() {
        }
    }
}
