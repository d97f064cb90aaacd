package io.quarkiverse.lock.deployment.places;

import static io.quarkiverse.lock.deployment.BuildProblems.put;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkiverse.lock.deployment.places.elsewhere.Distant;
import io.quarkus.test.QuarkusUnitTest;

/** Overriding a method overrides its annotation; inheriting it keeps the lock. */
class SuperclassMethodsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(AbstractJob.class, Job.class, Base.class, Child.class, Grandchild.class,
                    Typed.class, TypedBean.class, Lonely.class, Distant.class, DistantBean.class, Inherited.class,
                    Heir.class, LockedHeir.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(AbstractJob.class, "run", "has no effect in bean " + Job.class.getName(),
                        put(Job.class, "run", "implements"));
                problems.has(Base.class, "overridden", "in bean " + Child.class.getName(),
                        put(Child.class, "overridden", "overrides"));
                problems.has(Base.class, "overridden", "in bean " + Grandchild.class.getName(),
                        put(Child.class, "overridden", "overrides"));
                problems.has(Typed.class, "take", put(TypedBean.class, "take", "overrides"));
                problems.has(Lonely.class, "run", "no bean extends this class");
                problems.has(Distant.class, "near", "in bean " + DistantBean.class.getName(), "another package",
                        "make the method protected or public");
                problems.nothingOf(Inherited.class, Heir.class, LockedHeir.class);
            });

    @Test
    void fault131_overriddenMethodsLockNothing() {
        Assertions.fail();
    }

    public abstract static class AbstractJob {

        @Locked
        abstract void run();
    }

    @ApplicationScoped
    public static class Job extends AbstractJob {

        @Override
        void run() {
        }
    }

    public static class Base {

        @Locked
        void overridden() {
        }
    }

    @ApplicationScoped
    public static class Child extends Base {

        @Override
        void overridden() {
        }
    }

    @ApplicationScoped
    public static class Grandchild extends Child {
    }

    public abstract static class Typed<T> {

        @Locked
        void take(T what) {
        }
    }

    @ApplicationScoped
    public static class TypedBean extends Typed<String> {

        @Override
        void take(String what) {
        }
    }

    public abstract static class Lonely {

        @Locked
        void run() {
        }
    }

    @ApplicationScoped
    public static class DistantBean extends Distant {
    }

    abstract static class Inherited<T> {

        @Locked
        public void inherited() {
        }

        @Locked
        public void overridden(T what) {
        }
    }

    @ApplicationScoped
    public static class Heir extends Inherited<String> {

        @Override
        @Locked("heir")
        public void overridden(String what) {
        }
    }

    @ApplicationScoped
    @Locked("heir")
    public static class LockedHeir extends Inherited<String> {

        @Override
        public void overridden(String what) {
        }
    }
}
