package io.quarkiverse.lock.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.context.Destroyed;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.NoClassInterceptors;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.Shutdown;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;

/** Quarkus calls these methods when locks are no longer available, or not yet. */
class ShutdownMethodsTest {

    private static final String NEVER = "never runs: Quarkus calls it when the application takes no more locks";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Journal.class, WholeClass.class, Fine.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Journal.class, "observer", NEVER, "ShutdownDelayInitiatedEvent");
                problems.has(Journal.class, "shutdown", NEVER);
                problems.has(Journal.class, "beforeDestroyed", NEVER, "ShutdownDelayInitiatedEvent");
                problems.has(Journal.class, "destroyed", NEVER);
                problems.has(Journal.class, "initialized", "before the application takes locks", "observe StartupEvent");
                problems.has(WholeClass.class, "observer", NEVER, "@NoClassInterceptors");
                problems.nothingOf(Fine.class);
            });

    @Test
    void lockedShutdownMethodDoesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Journal {

        @Locked
        void observer(@Observes ShutdownEvent event) {
        }

        @Locked
        @Shutdown
        void shutdown() {
        }

        @Locked
        void beforeDestroyed(@Observes @BeforeDestroyed(ApplicationScoped.class) Object event) {
        }

        @Locked
        void destroyed(@Observes @Destroyed(ApplicationScoped.class) Object event) {
        }

        @Locked
        void initialized(@Observes @Initialized(ApplicationScoped.class) Object event) {
        }
    }

    @Locked("whole")
    @ApplicationScoped
    @Unremovable
    public static class WholeClass {

        void observer(@Observes ShutdownEvent event) {
        }
    }

    @Locked("fine")
    @ApplicationScoped
    @Unremovable
    public static class Fine {

        @NoClassInterceptors
        void exempted(@Observes ShutdownEvent event) {
        }

        @Shutdown
        @NoClassInterceptors
        void exemptedToo() {
        }

        void early(@Observes ShutdownDelayInitiatedEvent event) {
        }

        void start(@Observes StartupEvent event) {
        }

        void called(ShutdownEvent event) {
        }

        void request(@Observes @Initialized(RequestScoped.class) Object event) {
        }

        void requestToo(@Observes @Destroyed(RequestScoped.class) Object event) {
        }
    }
}
