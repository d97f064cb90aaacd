package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;

/** An identity with just enough permissions on the nodes of locks, and with too few. */
class PermissionTest extends ZooKeeperTest {

    private static final String IDENTITY = "locks:secret";
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(SOON);

    /** The permissions are set on every node that is made for locks. */
    private LockManager jvm(int permissions) throws Exception {
        var id = new Id("digest", DigestAuthenticationProvider.generateDigest(IDENTITY));
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs(30_000).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .authorization("digest", IDENTITY.getBytes(StandardCharsets.UTF_8)).build());
        client.start();
        return locks(client, options().withAcl(List.of(new ACL(permissions, id))));
    }

    @Test
    void documentedPermissionsAreEnough() throws Exception {
        LockManager a = jvm(Perms.CREATE | Perms.DELETE | Perms.READ);
        LockManager b = jvm(Perms.CREATE | Perms.DELETE | Perms.READ);
        LockHandle first = a.lock("name", PATIENT).acquire();
        CompletableFuture<LockHandle> next = b.lock("name", PATIENT).acquireAsync().subscribeAsCompletionStage();
        // The test's own client must see what only the identity may see
        store.getZookeeperClient().getZooKeeper().addAuthInfo("digest", IDENTITY.getBytes(StandardCharsets.UTF_8));
        awaitNodes("name", 2);
        assertThat(b.inspect("name")).isPresent();
        first.close();
        try (LockHandle second = next.get(20, TimeUnit.SECONDS)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(a.forceRelease("name")).isTrue();
            assertThat(a.lock("name").tryAcquire(Duration.ofSeconds(10))).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { Perms.CREATE, Perms.READ })
    void eachDocumentedPermissionIsNeeded(int missing) throws Exception {
        LockManager locks = jvm((Perms.CREATE | Perms.DELETE | Perms.READ) & ~missing);
        assertThat(failure(() -> locks.lock("name").acquire())).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.lock.zookeeper.auth").hasMessageContaining(root);
    }

    @Test
    void releaseNeedsDeletePermission() throws Exception {
        try (var log = LogLines.warnings("io.quarkiverse.lock")) {
            jvm(Perms.CREATE | Perms.READ).lock("name").acquire().close();
            Await.until("the release is refused", SOON, () -> !log.messages().isEmpty());
            assertThat(log.messages().get(0)).contains("could not be released", "quarkus.lock.zookeeper.auth", root);
        }
        assertThat(jvm(Perms.CREATE | Perms.DELETE | Perms.READ).inspect("name")).as("still held").isPresent();
    }

    @Test
    void requestReleaseNeedsWritePermission() throws Exception {
        try (LockHandle hold = jvm(Perms.CREATE | Perms.DELETE | Perms.READ).lock("name").acquire()) {
            LockManager other = jvm(Perms.CREATE | Perms.DELETE | Perms.READ);
            assertThat(failure(() -> other.requestRelease("name"))).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("requestRelease").hasMessageContaining("write (w)").hasMessageContaining("cdrw")
                    .hasMessageContaining("quarkus.lock.zookeeper.acl").hasMessageContaining(root + "/name/");
            assertThat(hold.isValid()).isTrue();
        }
        int enough = Perms.CREATE | Perms.DELETE | Perms.READ | Perms.WRITE;
        try (LockHandle hold = jvm(enough).lock("name").acquire()) {
            assertThat(jvm(enough).requestRelease("name")).isTrue();
            assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        }
    }
}
