package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** What a holder learns of waiters in other JVMs stays true. */
class WaiterNewsTest extends ZooKeeperTest {

    private static final String NAME = "order-42";

    @Test
    @Fault(117)
    void fault117_renewalDoesNotOverwriteWaiterNews() {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant(NAME);
        jvm.backend.contended(grant);
        Await.until("nobody waits", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        var renewal = jvm.backend.renew(List.of(grant)).subscribeAsCompletionStage(); // its reply may be older than the news
        var waiting = jvm().claim(NAME);
        Await.until("the holder knows of the waiter", SOON, () -> jvm.told.waiters.get(grant));
        Jvm.get(renewal);
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        assertThat(jvm.told.waiters).containsEntry(grant, true);
        jvm.release(grant);
        waiting.grant();
    }

    @Test
    @Fault(117)
    void fault117_waiterNewsLostOnDisconnectIsReadAgain() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, LONG_SESSION);
        ZooKeeperGrant grant = jvm.claim(NAME, LockMode.SHARED, false).grant(); // others may join as readers
        Await.until("nobody waits", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        proxy.dropReplyTo(NAME); // to the list request that the event triggers
        var waiting = jvm().claim(NAME);
        Await.until("the holder knows of the waiter", SOON, () -> jvm.told.waiters.get(grant));
        assertThat(proxy.dropPending()).isFalse();
        jvm.release(grant);
        waiting.grant();
    }

    /** One watch serves all readers of a JVM, and its events go to the newest grant. */
    @Test
    @Fault(331)
    void fault331_lingeringReaderLearnsOfAWriter() {
        Jvm jvm = jvm();
        ZooKeeperGrant kept = reader(jvm);
        jvm.release(reader(jvm)); // the reply comes after the event of the deletion, which uses up the watch
        jvm.backend.lingers(kept);
        var waiting = jvm().claim(NAME);
        Await.until("it is known that somebody waits", SOON, () -> jvm.told.waiters.get(kept));
        jvm.release(kept);
        waiting.grant();
    }

    private static ZooKeeperGrant reader(Jvm jvm) {
        ZooKeeperGrant grant = jvm.claim(NAME, LockMode.SHARED, false).grant();
        Await.until("nobody waits", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        return grant;
    }

    /** Nobody else had a node, so an exclusive holder need not ask who has arrived. */
    @Test
    void exclusiveHolderIsNotifiedBeforeItLists() {
        var requests = new Requests();
        var client = requests.client(server.connectString(), LONG_SESSION);
        Jvm jvm = opened(new Jvm(client, options(), client::close));
        ZooKeeperGrant grant = jvm.grant(NAME);
        jvm.backend.contended(grant);
        Await.until("nobody waits", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        requests.hold(request -> request.startsWith("getChildren"));
        var waiting = jvm().claim(NAME);
        Await.until("the holder knows of the waiter", SOON, () -> jvm.told.waiters.get(grant));
        waiting.cancel();
        awaitNodes(NAME, 1);
        requests.letGo();
        Await.until("it has left", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        jvm.release(grant);
    }
}
