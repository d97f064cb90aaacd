package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.auth.AuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;

/** A client that the servers reject is dead; Curator keeps it, and our locks still recover. */
class AuthFailureRecoveryTest extends ZooKeeperTest {

    private static final String PROVIDER = "zookeeper.authProvider.gate";

    @BeforeEach
    void hangTheGate() {
        System.setProperty(PROVIDER, Gate.class.getName());
        ProviderRegistry.addOrUpdateProvider(PROVIDER);
        Gate.open = false;
    }

    @AfterEach
    void takeItDown() {
        System.clearProperty(PROVIDER);
    }

    private CuratorFramework knocking() {
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs(30_000).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .authorization("gate", "shop".getBytes(StandardCharsets.UTF_8)).build());
        client.start();
        return client;
    }

    @Test
    void authFailureIsReportedAndRecoveredFrom() {
        LockManager locks = locks(knocking());
        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(20), Duration.ZERO)) {
            long start = System.nanoTime();
            RuntimeException refused = failure(() -> locks.lock("order-42").tryAcquire(wait));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as("at once").isLessThan(Duration.ofSeconds(10));
            assertThat(refused).isInstanceOf(LockBackendException.class).hasMessageContaining("order-42")
                    .hasMessageContaining("quarkus.lock.zookeeper.auth.password");
        }
        Gate.open = true;
        Await.until("it is let in", SOON.multipliedBy(2), () -> {
            try (LockHandle hold = locks.lock("order-42").acquire()) {
                return hold.isValid();
            } catch (LockBackendException e) {
                return false;
            }
        });
    }

    @Test
    void authFailureOnReconnectLosesLocksThenRecovers() {
        Gate.open = true;
        LockManager locks = locks(opened(knocking()));
        LockHandle hold = locks.lock("order-42").acquire();
        Gate.open = false;
        server.restart();
        Await.until("it is not let in", SOON.multipliedBy(2), () -> {
            try (LockHandle other = locks.lock("other").tryAcquire(Duration.ZERO).orElseThrow()) {
                return false;
            } catch (LockBackendException e) {
                return e.getMessage().contains("quarkus.lock.zookeeper.auth.password");
            }
        });
        Gate.open = true;
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON.multipliedBy(2));
        locks.lock("other").acquire().close();
        hold.close();
    }

    /** Curator reports fewer events to such a client. */
    @Test
    void clientWithNamespaceRecoversFromAuthFailure() {
        LockManager locks = locks(knocking().usingNamespace("team"));
        Await.until("it is told why", SOON, () -> failure(() -> locks.lock("order-42").tryAcquire(Duration.ZERO)).getMessage()
                .contains("quarkus.lock.zookeeper.auth.password"));
        Gate.open = true;
        Await.until("it is let in", SOON.multipliedBy(2), () -> {
            try (LockHandle hold = locks.lock("order-42").acquire()) {
                return hold.isValid();
            } catch (LockBackendException e) {
                return false;
            }
        });
    }

    /** Accepts everybody, or nobody. */
    public static final class Gate implements AuthenticationProvider {

        static volatile boolean open;

        @Override
        public String getScheme() {
            return "gate";
        }

        @Override
        public Code handleAuthentication(ServerCnxn connection, byte[] data) {
            return open ? Code.OK : Code.AUTHFAILED;
        }

        @Override
        public boolean matches(String id, String aclExpr) {
            return true;
        }

        @Override
        public boolean isAuthenticated() {
            return true;
        }

        @Override
        public boolean isValid(String id) {
            return true;
        }
    }
}
