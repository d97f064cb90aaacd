package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** An interface without methods of its own has none that could reveal that it locks nothing. */
class BareInterfacesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Marker.class, Marked.class, LockedMarked.class, Runs.class,
                    RunsLocked.class, Runner.class, Fine.class, FineRunner.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.hasClass(Marker.class, "has no effect in bean " + Marked.class.getName(), "put it on that class");
                problems.hasClass(RunsLocked.class, "has no effect in bean " + Runner.class.getName());
                problems.nothingOf(LockedMarked.class, Fine.class, FineRunner.class);
            });

    @Test
    void fault162_bareInterfacesLockNothing() {
        Assertions.fail();
    }

    @Locked
    public interface Marker {
    }

    @ApplicationScoped
    public static class Marked implements Marker {

        void run() {
        }
    }

    @ApplicationScoped
    @Locked
    public static class LockedMarked implements Marker {

        void run() {
        }
    }

    public interface Runs {

        void run();
    }

    @Locked
    public interface RunsLocked extends Runs {
    }

    @ApplicationScoped
    public static class Runner implements RunsLocked {

        @Override
        public void run() {
        }
    }

    @Locked
    public interface Fine extends Runs, AutoCloseable {
    }

    @ApplicationScoped
    public static class FineRunner implements Fine {

        @Override
        @Locked
        public void run() {
        }

        @Override
        public void close() {
        }
    }
}
