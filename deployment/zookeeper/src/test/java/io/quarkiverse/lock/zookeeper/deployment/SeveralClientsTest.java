package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** With several clients, the one for locks must be named. */
class SeveralClientsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .assertException(failure -> assertThat(failure).hasMessageContaining("quarkus.lock.zookeeper.client-name"))
            .withApplicationRoot(jar -> jar.addClasses(Two.class));

    @Test
    void doesNotBuild() {
        fail("It was built");
    }

    @ApplicationScoped
    public static class Two {

        @Produces
        @ApplicationScoped
        CuratorFramework one() {
            throw new UnsupportedOperationException();
        }

        @Produces
        @ApplicationScoped
        CuratorFramework other() {
            throw new UnsupportedOperationException();
        }
    }
}
