package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A method that would keep its name longer than any grace is rejected at startup. */
class LongestLeaseOfMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideRuntimeConfigKey("quarkus.lock.redis.after-failover", "grace")
            .withApplicationRoot(jar -> jar.addClasses(Report.class))
            .assertException(
                    e -> assertThat(e).hasStackTraceContaining("its holdAtLeast is 40s, longer than the longest lease that the "
                            + "lock backend keeps (30s): shorten it, or raise the backend's longest-lease"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }

    @Unremovable
    @ApplicationScoped
    static class Report {

        @Locked(value = "report", holdAtLeast = "40s")
        void write() {
        }
    }
}
