package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionEvents;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;

/** The connection breaks, and the session may or may not survive. */
class SessionEndTest extends ZooKeeperTest {

    private static final Duration SHORT_SESSION = Duration.ofSeconds(3);

    @Test
    @Fault(40)
    void fault40_disconnectSuspectsAHoldAndReconnectConfirmsIt() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, Duration.ofSeconds(30));
        ZooKeeperGrant grant = jvm.grant("order-42");
        int before = jvm.told.rechecks.get();
        proxy.down();
        Await.until("it is suspected", SOON, () -> jvm.told.suspected.contains(grant));
        assertThat(jvm.renew(grant).unknown()).hasSize(1);
        proxy.accept();
        Await.until("all is to be checked again", SOON, () -> jvm.told.rechecks.get() > before);
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        assertThat(jvm.told.lost).isEmpty();
        jvm.release(grant);
        awaitNodes("order-42", 0);
    }

    @Test
    @Fault(40)
    void fault40_restartShorterThanTheSessionKeepsTheLock() {
        var own = ZooKeeperServer.start();
        opened(own);
        LockManager locks = locks(opened(Clients.started(own.connectString(), LONG_SESSION)));
        LockHandle hold = locks.lock("order-42").acquire();
        own.stop();
        Await.during("valid without a server", Duration.ofSeconds(1), hold::isValid);
        own.restart();
        Duration before = hold.validFor();
        Await.until("confirmed again", Duration.ofSeconds(60), () -> hold.validFor().compareTo(before) > 0);
        assertThat(hold.isValid()).isTrue();
        hold.close();
        assertThat(locks.inspect("order-42")).isEmpty();
    }

    @Test
    @Fault(41)
    void fault41_sessionEndLosesHoldsAndRequeuesWaiters() throws Exception {
        Jvm jvm = jvm();
        Jvm other = jvm();
        ZooKeeperGrant held = jvm.grant("held");
        ZooKeeperGrant elsewhere = other.grant("waited-for");
        var waiting = jvm.claim("waited-for");
        awaitNodes("waited-for", 2);
        String before = nodes("waited-for").stream().filter(node -> !elsewhere.path().endsWith(node)).findFirst().orElseThrow();
        ZooKeeperServer.expire(jvm.zk(), server.connectString());
        Await.until("it is lost", SOON, () -> jvm.told.lost.containsKey(held));
        assertThat(jvm.told.lost.get(held)).contains("session has expired");
        assertThat(jvm.renew(held).lost()).hasSize(1);
        ZooKeeperGrant next = other.grant("held");
        assertThat(failure(() -> jvm.release(held))).isInstanceOf(LockLostException.class);
        assertThat(other.renew(next).renewed()).hasSize(1);
        Await.until("it waits in a new node", SOON,
                () -> nodes("waited-for").size() == 2 && !nodes("waited-for").contains(before));
        other.release(elsewhere);
        ZooKeeperGrant granted = waiting.grant();
        assertThat(granted.session()).isNotSameAs(held.session());
        assertThat(jvm.told.lost).containsOnlyKeys(held);
        jvm.release(granted);
        awaitNodes("waited-for", 0);
    }

    @Test
    @Fault(9)
    void fault09_releaseAfterSessionEndDoesNotAffectTheNextHolder() {
        FaultProxy proxy = proxy();
        Jvm late = jvm(proxy, SHORT_SESSION);
        Jvm other = jvm();
        ZooKeeperGrant grant = late.grant("order-42");
        proxy.blackhole();
        var releasing = late.backend.release(grant).subscribeAsCompletionStage();
        ZooKeeperGrant next = other.grant("order-42");
        proxy.pass();
        assertThat(releasing).failsWithin(SOON);
        Await.until("the late one has a new session", SOON,
                () -> late.backend.parts().sessions().usable() != null
                        && late.backend.parts().sessions().usable() != grant.session());
        Await.until("nothing is left to delete", SOON, () -> late.backend.parts().deletes().none());
        late.release(late.grant("other")); // by then it has done whatever it was about to do in its new session
        assertThat(other.renew(next).renewed()).hasSize(1);
        assertThat(nodes("order-42")).containsExactly(next.node());
        other.release(next);
    }

    @Test
    @Fault(43)
    void fault43_holdIsConfirmedOnlyByItsOwnSessionsNode() throws Exception {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        deleteNode(grant.path());
        store.create().forPath(grant.path(), new byte[0]);
        assertThat(jvm.renew(grant).lost()).as("another session's node of the same name").hasSize(1);
        deleteNode(grant.path());
    }

    @Test
    void deletionOfAHeldNodeIsNoticedAtOnce() {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        Await.until("it is watched", SOON, grant::watched);
        deleteNode(grant.path());
        Await.until("it is lost, though nobody renews", SOON, () -> jvm.told.lost.containsKey(grant));
    }

    /** The engine ignores the loss of a grant that it does not have yet. */
    @Test
    @Fault(439)
    void fault439_sessionEndDuringGrantDeliveryIsReported() {
        Jvm jvm = jvm();
        var waiting = new Jvm.Waiting(Jvm.newClaim("order-42", LockMode.EXCLUSIVE, true)) {
            @Override
            public void onItem(Answer item) {
                Session session = ((ZooKeeperGrant) item).session();
                CompletableFuture.runAsync(() -> jvm.backend.parts().sessions().closed(session), threads).join();
                jvm.told.lost.clear();
                super.onItem(item);
            }
        };
        jvm.backend.acquire(waiting.claim).subscribe().withSubscriber(waiting);
        ZooKeeperGrant grant = waiting.grant();
        Await.until("it is lost", SOON, () -> jvm.told.lost.containsKey(grant));
    }

    @Test
    @Fault(440)
    void fault440_releaseBeforeTheSessionEndEventReportsTheLoss() {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        ZooKeeperGrant reported = jvm.grant("reported");
        var released = new CompletableFuture<Void>();
        SessionEvents earlier = new SessionEvents() {
            @Override
            public void reconnected(Session session) {
                // only the end matters
            }

            @Override
            public void ended(Session session) {
                jvm.backend.release(grant).subscribe().with(released::complete, released::completeExceptionally);
            }
        };
        jvm.backend.parts().sessions().attach(earlier, jvm.backend.parts().held());
        jvm.backend.parts().sessions().closed(grant.session());
        assertThat(released).failsWithin(SOON).withThrowableThat().havingCause().isInstanceOf(LockLostException.class)
                .withMessageContaining("session");
        assertThat(jvm.told.lost).as("each is reported once").containsOnlyKeys(reported);
        jvm.release(grant);
        // The engine may have released it just before the report; otherwise, it ignores this failure
        assertThat(failure(() -> jvm.release(reported))).isInstanceOf(LockLostException.class);
        jvm.release(reported);
    }

    /** The engine has already released the grant, so it ignores the report of its loss. */
    @Test
    @Fault(515)
    void fault515_releaseRacingTheSessionEndReportsTheLoss() {
        var backend = new ZooKeeperLockBackend(client(LONG_SESSION), options(), "somebody");
        List<LockEvent.Kind> events = new CopyOnWriteArrayList<>();
        LockEngine engine = opened(LockEngine.builder(backend).listener(event -> {
            events.add(event.kind());
            if (event.kind() == LockEvent.Kind.RELEASED) {
                backend.parts().sessions().closed(backend.parts().sessions().usable());
            }
        }).start());
        LockHandle hold = engine.manager(ManagerDefaults.STANDARD).lock("order-42").acquire();
        hold.close();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON).asString().contains("session");
        assertThat(events).endsWith(LockEvent.Kind.RELEASED, LockEvent.Kind.LOST).containsOnlyOnce(LockEvent.Kind.LOST);
    }

    @Test
    @Fault(515)
    void fault515_releaseOnAClosedClientReportsTheLoss() {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        jvm.backend.parts().sessions().detach(); // nobody is notified that the client is closed
        jvm.client.close();
        assertThat(jvm.backend.release(grant).subscribeAsCompletionStage()).failsWithin(SOON).withThrowableThat()
                .havingCause().isInstanceOf(LockLostException.class).withMessageContaining("session");
    }

    /** Servers that come back restart the timeout of every session that they know. */
    @Test
    @Fault(438)
    void fault438_expiredSessionKeepsNothingAfterAnOutage() {
        anOutage(Map.of());
    }

    @Test
    @Fault(438)
    void fault438_expiredSessionKeepsNothingUnderEnforcedAuth() {
        var authenticated = Map.<String, Object> of("enforce.auth.enabled", "true", "enforce.auth.schemes", "digest");
        try {
            anOutage(authenticated);
        } finally {
            authenticated.keySet().forEach(setting -> System.clearProperty("zookeeper." + setting)); // the server sets them
        }
    }

    private void anOutage(Map<String, Object> configuration) {
        var own = opened(ZooKeeperServer.start(configuration));
        Duration session = Duration.ofSeconds(12);
        Jvm jvm = identified(own, session);
        ZooKeeperGrant released = jvm.grant("released");
        ZooKeeperGrant lost = jvm.grant("lost");
        own.stop();
        assertThat(jvm.backend.release(released).subscribeAsCompletionStage()).failsWithin(SOON);
        Await.until("its session is over", SOON, () -> lost.session().over());
        own.restart();
        long back = System.nanoTime();
        Jvm other = identified(own, LONG_SESSION);
        other.grant("released");
        other.grant("lost");
        assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(session.dividedBy(2));
    }

    private Jvm identified(ZooKeeperServer own, Duration session) {
        byte[] credentials = "somebody:secret".getBytes(StandardCharsets.UTF_8);
        CuratorFramework client = Clients.started(own.connectString(), session, "digest", credentials);
        return opened(new Jvm(client, options(), client::close, zk -> zk.addAuthInfo("digest", credentials)));
    }

    /** It is not worth waiting for a server that does not answer. */
    @Test
    @Fault(438)
    void fault438_unendedSessionDoesNotDelayShutdown() {
        FaultProxy proxy = proxy();
        CuratorFramework client = opened(Clients.started(proxy.host() + ":" + proxy.port(), LONG_SESSION));
        Jvm jvm = opened(new Jvm(client, options(), () -> {
        }));
        jvm.release(jvm.grant("order-42"));
        SessionTracker sessions = jvm.backend.parts().sessions();
        proxy.blackhole();
        sessions.closed(sessions.usable());
        sessions.attach(); // connected, so the session before is to be ended
        try {
            assertThat(CompletableFuture.runAsync(jvm.backend::close, threads)).succeedsWithin(SOON);
        } finally {
            proxy.pass();
        }
    }
}
