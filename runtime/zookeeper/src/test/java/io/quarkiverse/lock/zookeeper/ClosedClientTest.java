package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** The application closes or resets the client: the servers delete the nodes at once, and Curator does not report it. */
class ClosedClientTest extends ZooKeeperTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    private final Requests requests = new Requests();

    /** Its locks' nodes are not watched: the server might report their deletion just before it closes the connection. */
    private CuratorFramework unwatched(String connectString) {
        requests.drop(request -> request.startsWith("watchData") && request.contains("/order-42/"));
        return opened(requests.client(connectString, LONG_SESSION));
    }

    private CuratorFramework unwatched() {
        return unwatched(server.connectString());
    }

    /** Of a backend whose client belongs to the application. */
    private Jvm jvm(CuratorFramework client) {
        return opened(new Jvm(client, options(), () -> {
        }));
    }

    private static void awaitLost(Jvm jvm, ZooKeeperGrant grant) {
        Await.until("it is lost", AT_ONCE, () -> jvm.told.lost.containsKey(grant));
        assertThat(jvm.told.lost.get(grant)).contains("client was closed");
        assertThat(jvm.renew(grant).lost()).hasSize(1);
    }

    @Test
    @Fault(369)
    void fault369_closedClientLosesItsLocks() {
        CuratorFramework client = unwatched();
        Jvm jvm = jvm(client);
        ZooKeeperGrant grant = jvm.grant("order-42");
        client.close();
        Jvm other = jvm();
        ZooKeeperGrant next = other.grant("order-42");
        awaitLost(jvm, grant);
        assertThat(other.renew(next).renewed()).hasSize(1);
    }

    @Test
    @Fault(369)
    void fault369_closedClientWithNamespaceLosesItsLocks() {
        CuratorFramework client = unwatched();
        Jvm jvm = jvm(client.usingNamespace("team"));
        ZooKeeperGrant grant = jvm.grant("order-42");
        client.close();
        awaitLost(jvm, grant);
    }

    @Test
    @Fault(369)
    void fault369_resetClientLosesItsLocks() throws Exception {
        FaultProxy proxy = proxy();
        CuratorFramework client = unwatched(proxy.host() + ":" + proxy.port());
        Jvm jvm = jvm(client);
        ZooKeeperGrant grant = jvm.grant("order-42");
        Jvm other = jvm();
        ZooKeeperGrant elsewhere = other.grant("elsewhere");
        Jvm.Waiting waiting = jvm.claim("elsewhere");
        awaitNodes("elsewhere", 2);
        proxy.refuse();
        client.getZookeeperClient().reset();
        other.grant("order-42");
        awaitLost(jvm, grant);
        assertThat(waiting.claim.trouble()).as("the trouble reported to a waiter").isNotNull();
        proxy.accept();
        awaitNodes("elsewhere", 2);
        other.release(elsewhere);
        jvm.release(waiting.grant());
    }

    @Test
    @Fault(369)
    void fault369_closeIsNoticedAfterARootChange() throws Exception {
        CuratorFramework client = unwatched();
        Jvm jvm = jvm(client.usingNamespace("team"));
        ZooKeeperGrant grant = jvm.grant("order-42");
        store.setData().forPath("/team" + root, store.getData().forPath("/team" + root));
        jvm.release(jvm.grant("other")); // by then it has been notified of the change
        client.close();
        awaitLost(jvm, grant);
    }

    @Test
    void closedBackendReportsNoLosses() {
        CuratorFramework client = unwatched();
        Jvm jvm = jvm(client);
        jvm.claim("order-42", LockMode.SHARED, true).grant();
        Jvm open = jvm(client);
        ZooKeeperGrant grant = open.claim("order-42", LockMode.SHARED, true).grant();
        jvm.close();
        client.close();
        jvm().grant("order-42");
        awaitLost(open, grant);
        assertThat(jvm.told.lost).isEmpty();
    }
}
