package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;

/** Errors are reported in time, with the property to look at. */
class BadInputTest extends ZooKeeperTest {

    private static final String PREFIX = "quarkus.lock.zookeeper.";

    private RuntimeException refusal(LockManager locks, Duration wait) {
        long start = System.nanoTime();
        RuntimeException refused = failure(() -> locks.lock("order-42").tryAcquire(wait));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(refused).isInstanceOf(LockBackendException.class).hasMessageContaining("order-42");
        return refused;
    }

    @Test
    void wrongAddressIsReported() {
        LockManager locks = locks(opened(Clients.started("127.0.0.1:1", LONG_SESSION)));
        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
            assertThat(refusal(locks, wait)).hasMessageContaining(PREFIX + "connect-string");
        }
        assertThat(failure(() -> locks.inspect("order-42"))).hasMessageContaining(PREFIX + "operation-timeout=2s");
        assertThat(failure(() -> locks.forceRelease("order-42"))).hasMessageContaining(PREFIX + "connect-string");
    }

    @Test
    void missingConnectStringPathIsReported() throws Exception {
        LockManager locks = locks(opened(Clients.started(server.connectString() + root + "-above", LONG_SESSION)));
        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(5))) {
            assertThat(refusal(locks, wait)).hasMessageContaining(PREFIX + "connect-string ends with a path");
        }
        store.create().forPath(root + "-above");
        locks.lock("order-42").acquire().close();
    }

    private CuratorFramework as(String user) {
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs(30_000).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .authorization("digest", user.getBytes(StandardCharsets.UTF_8))
                .aclProvider(new ACLProvider() {
                    @Override
                    public List<ACL> getDefaultAcl() {
                        return ZooDefs.Ids.CREATOR_ALL_ACL;
                    }

                    @Override
                    public List<ACL> getAclForPath(String path) {
                        return ZooDefs.Ids.CREATOR_ALL_ACL;
                    }
                }).build());
        client.start();
        return client;
    }

    @Test
    void wrongOrMissingDigestIsReported() {
        var closed = options().withAcl(ZooDefs.Ids.CREATOR_ALL_ACL);
        LockManager right = locks(as("locks:right"), closed);
        right.lock("order-42").acquire().close();
        for (CuratorFramework client : List.of(as("locks:wrong"), client(LONG_SESSION))) {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(5))) {
                assertThat(refusal(locks(client, closed), wait)).hasMessageContaining(PREFIX + "auth.password")
                        .hasMessageContaining(root);
            }
        }
        right.lock("order-42").acquire().close();
    }

    @Test
    void missingPermissionOnOneNameIsReported() throws Exception {
        LockManager locks = locks(client(LONG_SESSION));
        locks.lock("other").acquire().close();
        store.create().withMode(CreateMode.CONTAINER).withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath(root + "/order-42");
        assertThat(refusal(locks, Duration.ZERO)).hasMessageContaining("does not allow").hasMessageContaining("auth");
        assertThat(refusal(locks, Duration.ofSeconds(5))).hasMessageContaining(root + "/order-42");
        locks.lock("other").acquire().close();
    }

    @Test
    void missingDeletePermissionIsReported() throws Exception {
        LockManager locks = locks(client(LONG_SESSION));
        locks.lock("other").acquire().close();
        store.create().withMode(CreateMode.CONTAINER).withACL(List.of(new ACL(Perms.READ | Perms.CREATE,
                ZooDefs.Ids.ANYONE_ID_UNSAFE))).forPath(root + "/order-42");
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            var hold = locks.lock("order-42").acquire();
            assertThat(failure(() -> hold.release().await().indefinitely())).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("order-42").hasMessageContaining(PREFIX + "auth").hasMessageContaining("delete");
            assertThat(hold.isValid()).isFalse();
            Await.until("what is left is logged", SOON, () -> !said.text().isEmpty());
            assertThat(said.text()).as("what is left, until when, and what to do").contains(root + "/order-42/_c_")
                    .contains("until its session ends").contains(PREFIX + "auth");
        }
        assertThat(locks.inspect("order-42")).as("the leftover node is visible").isPresent();
        locks.lock("other").acquire().close();
    }

    @Test
    void pathUsedByAnEphemeralNodeIsReported() throws Exception {
        LockManager locks = locks(client(LONG_SESSION));
        locks.lock("other").acquire().close();
        store.create().withMode(CreateMode.EPHEMERAL).forPath(root + "/order-42");
        assertThat(refusal(locks, Duration.ZERO)).hasMessageContaining("used by something else")
                .hasMessageContaining(PREFIX + "root");
    }

    @Test
    void pathUsedByAnotherRecipeIsReported() throws Exception {
        store.create().creatingParentsIfNeeded().forPath(root + "/order-42/leases");
        LockManager locks = locks(client(LONG_SESSION));
        assertThat(refusal(locks, Duration.ofSeconds(5))).hasMessageContaining("leases").hasMessageContaining(PREFIX + "nodes");
        awaitNodes("order-42", 1);
    }

    @Test
    void newerFormatIsReported() throws Exception {
        store.create().forPath(root, "quarkus-lock 2".getBytes(StandardCharsets.UTF_8));
        LockManager locks = locks(client(LONG_SESSION));
        assertThat(refusal(locks, Duration.ofSeconds(5))).hasMessageContaining("format 2")
                .hasMessageContaining("knows only format 1");
        store.create().forPath(root + "/order-42");
        assertThat(failure(() -> locks.list(LockQuery.ALL))).hasMessageContaining("format 2")
                .hasMessageContaining("knows only format 1");
        store.setData().forPath(root, "quarkus-lock 1".getBytes(StandardCharsets.UTF_8));
        locks.lock("order-42").acquire().close();
    }

    @Test
    void rootMadeByCuratorIsAccepted() throws Exception {
        store.create().forPath(root);
        locks(client(LONG_SESSION)).lock("order-42").acquire().close();
    }

    @Test
    void sessionTooShortForTheTickTimeIsReported() {
        var ticks = options().withTickTime(Duration.ofSeconds(2));
        CuratorFramework client = client(Duration.ofSeconds(1));
        assertThat(refusal(locks(client, ticks.withSession(Duration.ofSeconds(1))), Duration.ofSeconds(5)))
                .hasMessageContaining("Raise " + PREFIX + "session-timeout, and maxSessionTimeout of the servers")
                .hasMessageContaining(PREFIX + "tick-time=2s");
        assertThat(refusal(locks(client, ticks), Duration.ofSeconds(5)))
                .hasMessageContaining("Raise the session timeout of your client, and maxSessionTimeout of the servers");
    }

    @Test
    void extensionBeyondTheSessionIsReported() {
        Duration session = Duration.ofSeconds(30);
        try (var hold = locks(client(session), options().withSession(session)).lock("order-42").acquire()) {
            assertThat(failure(() -> hold.extend(Duration.ofMinutes(1))))
                    .hasMessageContaining("Raise " + PREFIX + "session-timeout, and maxSessionTimeout of the servers");
            assertThat(hold.isValid()).isTrue();
            hold.extend(Duration.ofSeconds(15));
        }
        try (var hold = locks(client(session)).lock("order-42").acquire()) {
            assertThat(failure(() -> hold.changeLease(Duration.ofMinutes(1))))
                    .hasMessageContaining("Raise the session timeout of your client, and maxSessionTimeout of the servers");
        }
    }

    @Test
    void clientNamespaceIsPartOfThePath() throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(server.connectString()).namespace("team")
                .sessionTimeoutMs(30_000).retryPolicy(new RetryOneTime(100)).ensembleTracker(false).build();
        client.start();
        opened(client);
        for (CuratorFramework each : List.of(client, client(LONG_SESSION).usingNamespace("team"))) {
            LockEngine engine = opened(LockEngine.builder(new ZooKeeperLockBackend(each, options(), "somebody")).start());
            try (var hold = engine.manager(ManagerDefaults.STANDARD).lock("order-42").acquire()) {
                assertThat(store.getChildren().forPath("/team" + root + "/order-42")).hasSize(1);
            }
        }
    }
}
