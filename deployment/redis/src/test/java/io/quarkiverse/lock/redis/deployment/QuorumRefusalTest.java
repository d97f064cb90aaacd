package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A quorum supports only exclusive locks; the build rejects others. */
class QuorumRefusalTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b,c")
            .withApplicationRoot(jar -> jar.addClasses(Catalog.class))
            .assertException(e -> assertThat(e).hasStackTraceContaining("mode = SHARED")
                    .hasStackTraceContaining("limit = 3"));

    @ApplicationScoped
    @Unremovable
    static class Catalog {

        @Locked(value = "catalog", mode = LockMode.SHARED)
        void read() {
        }

        @Locked(value = "printers", limit = 3)
        void print() {
        }
    }

    @Test
    void doesNotBuild() {
        throw new AssertionError("it was built");
    }
}
