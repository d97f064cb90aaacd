package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;

/** The servers of an ensemble allow sessions of different lengths: the connected server decides. */
class ShorterSessionTest extends ZooKeeperTest {

    private static final Map<String, Object> LESS = Map.of("maxSessionTimeout", "15000");
    /** Two thirds of that less half a tick. */
    private static final Duration LESS_LEASE = Duration.ofMillis(9_900);

    private ZooKeeperServer own;
    private ZooKeeperLockBackend backend;
    private LockManager locks;
    private CuratorFramework looking;

    @BeforeEach
    void connect() {
        own = opened(ZooKeeperServer.start());
        looking = opened(Clients.started(own.connectString(), LONG_SESSION));
        backend = new ZooKeeperLockBackend(opened(Clients.started(own.connectString(), LONG_SESSION)), options(), "somebody");
        locks = opened(LockEngine.builder(backend).start()).manager(ManagerDefaults.STANDARD);
    }

    private void restartWith(Map<String, Object> configuration, int timeoutMillis) {
        own.restart(configuration);
        Await.until("the session is back, with another timeout", Duration.ofSeconds(60), () -> {
            Session usable = backend.parts().sessions().usable();
            return usable != null && usable.timeoutMillis() == timeoutMillis;
        });
    }

    @Test
    void lockIsValidForTheRestOfTheShorterSession() {
        LockHandle hold = locks.lock("order-42").acquire();
        assertThat(hold.validFor()).isGreaterThan(LESS_LEASE);
        restartWith(LESS, 15_000);
        assertThat(hold.validFor()).isLessThan(LESS_LEASE);
        hold.close();
        try (LockHandle next = locks.lock("order-42").acquire()) {
            next.extend(Duration.ofSeconds(5));
            assertThat(next.validFor()).isBetween(Duration.ofMillis(1), LESS_LEASE);
            assertThatThrownBy(() -> next.extend(Duration.ofSeconds(20))).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("9.9s").hasMessageContaining("the session timeout of your client");
            next.extend(Duration.ofSeconds(5));
            assertThat(next.validFor()).isBetween(Duration.ofMillis(1), LESS_LEASE);
        }
    }

    @Test
    void longerSessionExtendsTheLeaseFromTheNextRenewal() {
        restartWith(LESS, 15_000);
        LockHandle hold = locks.lock("order-42").acquire();
        restartWith(Map.of(), (int) LONG_SESSION.toMillis());
        if (hold.isValid()) { // otherwise the restart took longer than the lease
            Await.until("it is renewed, or was lost meanwhile", SOON,
                    () -> !hold.isValid() || hold.validFor().compareTo(LESS_LEASE) > 0);
        }
        hold.close();
        try (LockHandle next = locks.lock("order-42").acquire()) {
            assertThat(next.validFor()).isGreaterThan(LESS_LEASE);
        }
    }

    /** The delay is longer than the shorter lease. */
    private Jvm delayed() {
        return opened(new Jvm(own.connectString(), LONG_SESSION, options().withAfterLossDelay(Duration.ofSeconds(10))));
    }

    private List<String> ownNodes() {
        return children(looking, "order-42");
    }

    @Test
    void nodesInASessionThatBecomesTooShortAreStillDeleted() {
        Jvm jvm = delayed();
        ZooKeeperGrant grant = jvm.grant("order-42");
        own.stop();
        var released = jvm.backend.release(grant).subscribeAsCompletionStage();
        assertThatThrownBy(() -> Jvm.get(released)).isInstanceOf(LockBackendException.class);
        for (int i = 0; i < 2; i++) { // by then the retried deletion has failed as well, and waits for the connection
            assertThatThrownBy(() -> jvm.zk().exists("/", false)).isInstanceOf(KeeperException.class);
        }
        own.restart(LESS);
        Await.until("the node is gone, though its session lives", Duration.ofSeconds(60), () -> ownNodes().isEmpty());
        assertThat(jvm.zk().getSessionTimeout()).isEqualTo(15_000);
        assertThat(jvm.backend.parts().sessions().usable()).isNull();
    }

    @Test
    void waiterIsRefusedIfItsSessionHasBecomeTooShort() {
        Jvm holder = opened(new Jvm(own.connectString(), LONG_SESSION, options()));
        ZooKeeperGrant grant = holder.grant("order-42");
        Jvm jvm = delayed();
        Jvm.Waiting waiting = jvm.claim("order-42");
        Await.until("both stand in line", SOON, () -> ownNodes().size() == 2);
        own.restart(LESS);
        Await.until("the session is back, with another timeout", Duration.ofSeconds(60),
                () -> jvm.zk().getState().isConnected() && jvm.zk().getSessionTimeout() == 15_000);
        holder.release(grant);
        assertThatThrownBy(() -> Jvm.get(waiting.answer)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("order-42").hasMessageContaining("15s")
                .hasMessageContaining("quarkus.lock.after-loss-delay=10s");
        Await.until("nothing stands in line", SOON, () -> ownNodes().isEmpty());
    }

    /** Several callers may hold it together: a refusal to one of them does not affect another. */
    @Test
    void leaseLongerThanTheSessionDoesNotAffectRenewals() {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        long before = grant.leaseNanos();
        assertThatThrownBy(() -> grant.leaseNanos(Duration.ofHours(1).toNanos())).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("order-42").hasMessageContaining("for 1h without");
        assertThat(grant.leaseNanos()).as("the lease that the engine sees").isEqualTo(before);
        assertThat(jvm.renew(grant).renewed()).as("despite the refusal").hasSize(1);
        jvm.release(grant);
    }

    @Test
    void refusedExtensionDoesNotAffectAnotherHolder() {
        LockOptions reading = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(Duration.ofSeconds(3));
        Duration longer = Duration.ofSeconds(6);
        try (LockHandle one = locks.lock("order-42", reading).acquire();
                LockHandle other = locks.lock("order-42", reading).acquire()) {
            one.extend(longer);
            assertThatThrownBy(() -> other.extend(Duration.ofHours(1))).isInstanceOf(LockBackendException.class);
            Await.during("it is renewed", longer, one::isValid);
            Await.until("for as long as it was extended", SOON,
                    () -> one.validFor().compareTo(Duration.ofSeconds(4)) > 0);
        }
    }
}
