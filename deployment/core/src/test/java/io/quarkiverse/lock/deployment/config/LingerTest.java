package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** Where to configure how long a JVM keeps a lock without a holder. */
class LingerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Kept.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "5s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"overridden\".linger", "5s")
            .overrideConfigKey("quarkus.lock.managers.jobs.renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.managers.jobs.lease", "8s");

    @Inject
    Kept kept;

    @Inject
    LockManager locks;

    @Inject
    @LockManagerName("jobs")
    LockManager jobs;

    @Test
    void managerLingerAppliesToAllLocks() {
        assertThat(kept.asConfigured()).isEqualTo(kept.asConfigured() - 1);
        assertThat(locks.inspect("configured").orElseThrow().holders().get(0).owner()).startsWith("idle, kept by ");
        locks.lock("programmatic").acquire().close();
        assertThat(locks.inspect("programmatic")).isPresent();
    }

    @Test
    void annotationLingerAppliesToItsMethod() {
        kept.notKept();
        assertThat(locks.inspect("not-kept")).isEmpty();
        kept.keptForAMoment();
        assertThat(locks.inspect("moment").orElseThrow().holders().get(0).owner()).startsWith("idle, kept by ");
    }

    /** A lease that is too short for the manager's linger does not matter then. */
    @Test
    void fault540_managerLingerSkipsLocksThatAreNeverKept() {
        kept.limited();
        assertThat(locks.inspect("limited")).isEmpty();
        kept.heldAtLeast();
        assertThat(locks.inspect("held at least").orElseThrow().holders().get(0).owner()).startsWith("finished, kept by ");
        kept.unrenewed();
        assertThat(locks.inspect("unrenewed")).isEmpty();
    }

    @Test
    void fault540_defaultLingerSkipsManagersWithoutRenewal() {
        kept.unrenewedJob();
        assertThat(jobs.inspect("job")).isEmpty();
        jobs.lock("programmatic job").acquire().close();
        assertThat(jobs.inspect("programmatic job")).isEmpty();
    }

    @Test
    void configurationOverridesAnnotationLinger() {
        kept.overridden();
        assertThat(locks.inspect("overridden")).isPresent();
    }

    @ApplicationScoped
    public static class Kept {

        @Inject
        CurrentLock lock;

        @Locked("configured")
        long asConfigured() {
            return lock.fencingToken();
        }

        @Locked(value = "not-kept", linger = "0")
        void notKept() {
        }

        @Locked(value = "moment", linger = "10s")
        void keptForAMoment() {
        }

        @Locked(value = "overridden", linger = "0")
        void overridden() {
        }

        @Locked(value = "limited", limit = 3, lease = "8s")
        void limited() {
        }

        @Locked(value = "held at least", holdAtLeast = "1m", lease = "8s")
        void heldAtLeast() {
        }

        @Locked(value = "unrenewed", renew = "false", lease = "8s")
        void unrenewed() {
        }

        @Locked(value = "job", manager = "jobs")
        void unrenewedJob() {
        }
    }
}
