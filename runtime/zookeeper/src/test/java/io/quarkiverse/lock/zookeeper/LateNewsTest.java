package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;

/** Curator connects the next session before it reports the end of the previous one, and may notify other listeners first. */
class LateNewsTest extends ZooKeeperTest {

    private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

    @Test
    @Fault(41)
    void fault41_lateSessionEndAffectsOnlyTheFormerSession() throws Exception {
        CuratorFramework client = client(LONG_SESSION);
        var news = new HeldBack();
        client.getCuratorListenable().addListener(news);
        Jvm jvm = opened(new Jvm(client, options(), () -> {
        }));
        ZooKeeperGrant former = jvm.grant("former");
        ZooKeeperServer.expire(former.session().zk(), server.connectString());
        Await.until("the next session is in use, and nobody has told", SOON, () -> news.hasCome() && inUse(jvm, former));
        ZooKeeperGrant next = jvm.grant("next");
        news.tell();
        Await.until("everybody has heard", SOON, news::heard);
        ZooKeeperGrant later = jvm.grant("later");
        assertThat(later.session()).isSameAs(next.session());
        assertThat(nodes("later")).containsExactly(later.node());
        assertThat(store.checkExists().forPath(root + "/later").getCversion()).as("nodes made").isEqualTo(1);
        assertThat(jvm.told.lost).containsOnlyKeys(former);
        assertThat(jvm.renew(next, later).renewed()).hasSize(2);
        jvm.release(next);
        jvm.release(later);
    }

    /** Such a client is notified in another way. */
    @Test
    @Fault(41)
    void fault41_clientWithNamespaceRecovers() {
        Jvm jvm = opened(new Jvm(client(SHORT_SESSION).usingNamespace("team"), options(), () -> {
        }));
        ZooKeeperGrant former = jvm.grant("order-42");
        ZooKeeperServer.expire(former.session().zk(), server.connectString());
        Await.until("it is lost", SOON, () -> jvm.told.lost.containsKey(former));
        ZooKeeperGrant next = jvm.grant("order-42");
        assertThat(next.session()).isNotSameAs(former.session());
        assertThat(jvm.renew(next).renewed()).hasSize(1);
        jvm.release(next);
    }

    private static boolean inUse(Jvm jvm, ZooKeeperGrant former) {
        Session usable = jvm.backend.parts().sessions().usable();
        return usable != null && usable != former.session();
    }

    /** A slow listener that is the first to be notified of the end of a session. */
    private static final class HeldBack implements CuratorListener {

        private final CountDownLatch come = new CountDownLatch(1);
        private final CountDownLatch told = new CountDownLatch(1);
        private volatile Thread teller;

        @Override
        public void eventReceived(CuratorFramework client, CuratorEvent event) throws Exception {
            if (event.getWatchedEvent() != null && event.getWatchedEvent().getState() == KeeperState.Expired) {
                teller = Thread.currentThread();
                come.countDown();
                told.await(SOON.toSeconds(), TimeUnit.SECONDS);
            }
        }

        boolean hasCome() {
            return come.getCount() == 0;
        }

        void tell() {
            told.countDown();
        }

        /** The event thread of the former session ends with this event. */
        boolean heard() {
            return !teller.isAlive();
        }

        /** Curator notifies listeners in the order of its hash table, so this one is first. */
        @Override
        public int hashCode() {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }
}
