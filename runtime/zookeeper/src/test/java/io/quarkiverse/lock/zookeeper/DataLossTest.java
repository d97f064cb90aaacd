package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/**
 * The server comes back without its data: sessions and locks are gone. It refuses clients that have seen newer data, so they
 * learn of it only when Curator gives up their session.
 */
class DataLossTest extends ZooKeeperTest {

    @Test
    @Fault(23)
    void fault23_dataLossLosesTheLocks() {
        ZooKeeperServer own = opened(ZooKeeperServer.start());
        LockManager locks = locks(opened(Clients.started(own.connectString(), Duration.ofSeconds(6))));
        LockHandle hold = locks.lock("order-42").acquire();
        own.restartEmpty();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(hold.isValid()).isFalse();
        LockOptions patient = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60));
        try (LockHandle next = locks.lock("order-42", patient).acquire()) {
            assertThat(next.isValid()).isTrue();
        }
        hold.close();
    }
}
