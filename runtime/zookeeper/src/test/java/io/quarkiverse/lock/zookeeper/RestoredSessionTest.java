package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;

/** Several processes are restored from one checkpoint, within the timeout of the session in which it was made. */
class RestoredSessionTest extends ZooKeeperTest {

    @Test
    @Fault(501)
    void fault501_eachRestoredCopyGetsItsOwnSession() throws Exception {
        Jvm jvm = jvm();
        ZooKeeperGrant held = jvm.grant("held");
        var heardByTheApplication = new CompletableFuture<ConnectionState>();
        jvm.client.getConnectionStateListenable().addListener((client, state) -> {
            if (state == ConnectionState.LOST) {
                heardByTheApplication.complete(state);
            }
        });
        jvm.backend.beforeCheckpoint();
        ZooKeeper shared = jvm.zk();
        ZooKeeper otherCopy = opened(new ZooKeeper(server.connectString(), shared.getSessionTimeout(), event -> {
        }, shared.getSessionId(), shared.getSessionPasswd()));
        jvm.backend.afterRestore();
        ZooKeeperGrant granted = jvm.grant("order-42");
        assertThat(granted.session().id()).isNotEqualTo(held.session().id());
        assertThat(Jvm.get(heardByTheApplication)).isEqualTo(ConnectionState.LOST);
        assertThat(jvm.told.lost).containsOnlyKeys(held);
        Await.during("what the other copy has is left to it", Duration.ofSeconds(1), () -> nodes("held").size() == 1);
        otherCopy.close();
        awaitNodes("held", 0);
        assertThat(jvm.renew(granted).renewed()).hasSize(1);
        jvm.release(granted);
    }

    /** It may have begun before the process was frozen, and then it is in each copy. Nothing is locked in it. */
    @Test
    @Fault(501)
    void fault501_sessionStartedDuringTheCheckpointIsAbandoned() throws Exception {
        Jvm jvm = jvm();
        SessionTracker sessions = jvm.backend.parts().sessions();
        jvm.release(jvm.grant("order-42"));
        Session before = sessions.usable();
        jvm.backend.beforeCheckpoint();
        ZooKeeperServer.expire(jvm.zk(), server.connectString());
        Await.until("there is another session", SOON, () -> sessions.usable() != null && sessions.usable() != before);
        Session meanwhile = sessions.usable();
        jvm.backend.afterRestore();
        ZooKeeperGrant granted = jvm.grant("order-42");
        assertThat(granted.session()).isNotSameAs(meanwhile);
        assertThat(jvm.told.lost).isEmpty();
        jvm.release(granted);
    }
}
