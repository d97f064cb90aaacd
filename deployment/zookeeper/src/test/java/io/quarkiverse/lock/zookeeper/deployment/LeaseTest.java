package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A lock has no separate lease: it ends with the session. */
class LeaseTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("method=brief] @Locked(lease = \"5s\")")
                    .hasMessageContaining("quarkus.lock.zookeeper.session-timeout"))
            .withApplicationRoot(jar -> jar.addClasses(Stock.class));

    @Test
    void leaseIsRejectedAtBuild() {
        fail("It was built");
    }

    @ApplicationScoped
    @Unremovable
    public static class Stock {

        @Locked(lease = "5s")
        public void brief() {
        }
    }
}
