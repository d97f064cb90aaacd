package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;

/** A leader that holds its lock for the lifetime of the application is asked to release it in time at shutdown. */
class LeaderAtShutdownTest {

    private static final String LOG = LeaderAtShutdownTest.class.getName();

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Leader.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.shutdown.timeout", "20s")
            .setAfterUndeployListener(() -> assertThat(System.clearProperty(LOG))
                    .as("what happened, in order").isEqualTo(" asked stopping destroyed"));

    @Inject
    Leader leader;

    @Test
    void fault473_leaderReleasesLockBeforeShutdown() {
        assertThat(leader.leads()).isTrue();
    }

    static void log(String what) {
        System.setProperty(LOG, System.getProperty(LOG, "") + ' ' + what);
    }

    @ApplicationScoped
    public static class Leader {

        @Inject
        LockManager locks;

        private LockHandle leads;

        boolean leads() {
            return leads.isValid();
        }

        void onStart(@Observes StartupEvent event) {
            leads = locks.lock("leader").acquire();
            leads.onReleaseRequested(() -> {
                log("asked");
                leads.close();
            });
        }

        void onStop(@Observes ShutdownEvent event) {
            log("stopping");
        }

        @PreDestroy
        void destroyed() {
            log("destroyed");
        }
    }
}
