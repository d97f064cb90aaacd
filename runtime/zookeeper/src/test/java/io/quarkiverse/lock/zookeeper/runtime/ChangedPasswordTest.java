package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** For the digest scheme, a changed password is another identity. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangedPasswordTest {

    private String kept = "shop:first";

    @Test
    void changedPasswordIsHarmlessWithAnIndependentAcl() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            lockOnce(server, "ip:127.0.0.1:cdrwa");
            kept = "shop:second";
            lockOnce(server, "ip:127.0.0.1:cdrwa");
        }
    }

    @Test
    void changedPasswordIsNamedAsTheCause() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            lockOnce(server, "creator");
            kept = "shop:second";
            assertThatThrownBy(() -> lockOnce(server, "creator")).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("quarkus.lock.zookeeper.credentials-provider")
                    .hasMessageContaining("a changed password is another identity");
        }
    }

    private void lockOnce(ZooKeeperServer server, String acl) throws Exception {
        ZooKeeperLockConfig config = Configured.with("connect-string", server.connectString(), "credentials-provider", "locks",
                "acl", acl);
        Identity identity = Identity.of(config, () -> Optional.of((name, bean) -> kept));
        try (CuratorFramework client = ConfiguredClient.of(config, identity, OtherExtensions.NONE)) {
            client.start();
            assertThat(client.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
            var options = ZooKeeperLockOptions.STANDARD.withTickTime(ZooKeeperServer.TICK).withAcl(Acls.of(config, false));
            try (LockEngine engine = LockEngine.builder(new ZooKeeperLockBackend(client, options, "somebody")).start()) {
                LockManager locks = engine.manager(ManagerDefaults.STANDARD);
                locks.lock("order-42").tryAcquire(Duration.ofSeconds(10)).orElseThrow().close();
            }
        }
    }
}
