package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A name has more nodes than fit into a reply to this JVM, which never locks it. */
class ManyNodesTest extends ZooKeeperTest {

    private static final int BUFFER = 30_000;
    private static final int NODES = 600;

    /** A client with a lower limit for replies than usual. */
    private CuratorFramework bounded() {
        var config = new ZKClientConfig();
        config.setProperty(ZKConfig.JUTE_MAXBUFFER, String.valueOf(BUFFER));
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs((int) LONG_SESSION.toMillis()).connectionTimeoutMs(5_000).retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false).zkClientConfig(config).build());
        client.start();
        return client;
    }

    private void makeNodes(String name) throws Exception {
        store.create().creatingParentsIfNeeded().withMode(CreateMode.CONTAINER).forPath(root + '/' + name);
        ZooKeeper zk = store.getZookeeperClient().getZooKeeper();
        for (int i = 0; i < NODES; i++) {
            zk.create(root + '/' + name + "/_c_11111111-2222-3333-4444-555555555555-__WRIT__", new byte[0],
                    ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL, (StringCallback) (rc, path, ctx, made) -> {
                    }, null);
        }
        awaitNodes(name, NODES);
    }

    @Test
    @Fault(442)
    void fault442_inspectingTooManyNodesFailsButLosesNoLock() throws Exception {
        Jvm jvm = opened(new Jvm(bounded(), options(), () -> {
        }));
        ZooKeeperGrant held = jvm.grant("held");
        makeNodes("many");
        for (Runnable call : List.<Runnable> of(() -> Jvm.get(jvm.backend.inspect("many")),
                () -> Jvm.get(jvm.backend.forceRelease("many")), () -> Jvm.get(jvm.backend.requestRelease("many")))) {
            assertThat(failure(call)).isInstanceOf(LockBackendException.class).hasMessageContaining("'many'")
                    .hasMessageContaining(NODES + " nodes").hasMessageContaining("jute.maxbuffer");
        }
        assertThat(jvm.told.suspected).as("grants that depend on the connection").isEmpty();
        assertThat(Jvm.get(jvm.backend.inspect("held"))).isPresent();
        jvm.release(held);
    }

    @Test
    @Fault(442)
    void fault442_listSkipsAndLogsANameWithTooManyNodes() throws Exception {
        Jvm jvm = opened(new Jvm(bounded(), options(), () -> {
        }));
        ZooKeeperGrant held = jvm.grant("held");
        makeNodes("many");
        try (var log = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            LockQuery.Page page = Jvm.get(jvm.backend.list(LockQuery.ALL));
            assertThat(page.locks()).extracting(LockInfo::name).containsExactly("held");
            Await.until("it is said", SOON, () -> log.messages().stream().anyMatch(
                    line -> line.contains("'many'") && line.contains(NODES + " nodes")));
        }
        jvm.release(held);
    }
}
