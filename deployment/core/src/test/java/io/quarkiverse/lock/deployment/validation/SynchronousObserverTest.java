package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockBusy;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockReleaseRequested;
import io.quarkiverse.lock.LockReleased;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** An observer that would never be called fails the build. */
class SynchronousObserverTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Watch.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                for (String method : new String[] { "acquired", "released", "lost", "busy", "releaseRequested" }) {
                    assertThat(failure).hasMessageContaining("[class=" + Watch.class.getName() + ", method=" + method
                            + "] @Observes Lock");
                }
                assertThat(failure).hasMessageContaining("@ObservesAsync");
                assertThat(failure.getMessage()).doesNotContain("method=fine");
            });

    @Test
    void fault126_synchronousObserverDoesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Watch {

        void acquired(@Observes LockAcquired event) {
        }

        void released(@Observes LockReleased event) {
        }

        void lost(@Observes LockLost event) {
        }

        void busy(@Observes LockBusy event) {
        }

        void releaseRequested(@Observes LockReleaseRequested event) {
        }

        void fineAsync(@ObservesAsync LockLost event) {
        }

        void fineOfOthers(@Observes Object event) {
        }
    }
}
