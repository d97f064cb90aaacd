package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** The error of a call that has waited for a connection. */
class NotConnectedTest extends ZooKeeperTest {

    @Test
    @Fault(120)
    void fault120_errorDoesNotNameATimeoutThatHasNotElapsed() {
        FaultProxy proxy = proxy();
        proxy.down();
        LockManager locks = locks(opened(Clients.started(proxy.host() + ":" + proxy.port(), LONG_SESSION)));
        assertThat(failure(() -> locks.lock("order-42").tryAcquire(Duration.ofMillis(12))))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("'order-42'")
                .hasMessageContaining("quarkus.lock.zookeeper.connect-string")
                .hasMessageNotContaining("within");
        assertThat(failure(() -> locks.lock("order-42").tryAcquire(Duration.ZERO)))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.lock.zookeeper.operation-timeout=2s");
    }
}
