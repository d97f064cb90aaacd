package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** If a holder still runs after the application has stopped, its lock is kept until the lease ends. */
class RunningHolderTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Server::start)
            .setAfterUndeployListener(RunningHolderTest::afterwards)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .withApplicationRoot(jar -> jar.addClasses(Server.class, Server.Look.class));

    /** Keeps the handle reachable, so that it does not count as dropped. */
    static LockHandle running;

    @Inject
    LockManager locks;

    @Test
    void runningHolderKeepsItsLockAfterShutdown() {
        running = locks.lock("running").acquire();
        assertThat(running.isValid()).isTrue();
    }

    private static void afterwards() {
        try {
            int nodes = Server.seen(other -> other.getChildren().forPath("/shop/running").size());
            assertThat(nodes).as("the holder may still be working").isEqualTo(1);
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            Server.stop();
        }
    }
}
