package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkiverse.lock.deployment.places.elsewhere.Hidden;
import io.quarkus.arc.NoClassInterceptors;
import io.quarkus.test.QuarkusUnitTest;

/** A class annotation is checked in each bean that has it. */
class ClassLevelTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Parent.class, Inherits.class, Empty.class, Hidden.class,
                    HiddenBean.class, NoBean.class, Own.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.hasClass(Empty.class, "no method that could be locked");
                problems.has(Hidden.class, "take", "in bean " + HiddenBean.class.getName(),
                        "use parameters of public types");
                problems.hasClass(NoBean.class, "no bean extends this class");
                problems.nothingOf(Parent.class, Inherits.class, Own.class);
            });

    @Test
    void fault131_classAnnotationIsCheckedInEachBean() {
        Assertions.fail();
    }

    @Locked
    public abstract static class Parent {

        void run() {
        }

        abstract void open();

        @NoClassInterceptors
        void free() {
        }
    }

    @ApplicationScoped
    public static class Inherits extends Parent {

        @Override
        void open() {
        }

        private void own() {
        }

        static void global() {
        }
    }

    @Locked("own")
    @ApplicationScoped
    public static class Own extends Parent {

        @Override
        final void open() {
        }
    }

    @Locked
    @ApplicationScoped
    public static class Empty {
    }

    @Locked
    @ApplicationScoped
    public static class HiddenBean extends Hidden {
    }

    @Locked
    public abstract static class NoBean {

        void run() {
        }
    }
}
