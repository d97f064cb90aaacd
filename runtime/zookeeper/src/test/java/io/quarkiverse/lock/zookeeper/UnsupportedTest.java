package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** An unsupported feature is refused by the call that asks for it, before anything is sent. */
class UnsupportedTest extends ZooKeeperTest {

    @Test
    void holdAtLeast() {
        LockManager locks = locks(client(LONG_SESSION));
        LockOptions report = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMinutes(1));
        assertThatThrownBy(() -> locks.lock("report", report)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'zookeeper' cannot keep a name after its release")
                .hasMessageContaining("quarkus.lock.backend");
        assertThatThrownBy(() -> locks.all(report, "report", "other")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holdAtLeast");
    }

    @Test
    void readersOfAMutex() {
        LockManager locks = locks(client(LONG_SESSION), options().withNodes(LockNodes.MUTEX));
        assertThatThrownBy(() -> locks.lock("catalog", LockOptions.DEFAULTS.withMode(LockMode.SHARED)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("LockMode.SHARED");
        assertThatThrownBy(() -> locks.lock("catalog").asReadWriteLock()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("catalog").hasMessageContaining("asJavaLock");
    }
}
