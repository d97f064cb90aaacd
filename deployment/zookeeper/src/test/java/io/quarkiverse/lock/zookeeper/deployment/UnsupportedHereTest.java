package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A node ends with its session, so it cannot keep a name for a JVM that is gone; and a mutex has no readers. */
class UnsupportedHereTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.zookeeper.nodes", "mutex")
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("method=nightly] @Locked(holdAtLeast = \"1m\"): lock backend 'zookeeper'")
                    .hasMessageContaining("method=read] @Locked(mode = SHARED): lock backend 'zookeeper'")
                    .hasMessageNotContaining("method=export"))
            .withApplicationRoot(jar -> jar.addClasses(Stock.class));

    @Test
    void unsupportedOptionsAreRejected() {
        fail("It was built");
    }

    @ApplicationScoped
    @Unremovable
    public static class Stock {

        @Locked(holdAtLeast = "1m")
        public void nightly() {
        }

        @Locked(mode = LockMode.SHARED)
        public void read() {
        }

        @Locked(limit = 3)
        public void export() {
        }
    }
}
