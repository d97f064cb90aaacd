package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** The container of a name comes and goes; the server of this class deletes empty ones every 10 ms. */
class ContainerTest extends ZooKeeperTest {

    private static final String REAPER = "znode.container.checkIntervalMs";

    @BeforeAll
    static void startReapingServer() {
        server.close();
        System.setProperty(REAPER, "10");
        server = ZooKeeperServer.start();
    }

    @AfterAll
    static void forgetReaper() {
        System.clearProperty(REAPER);
    }

    @Test
    @Fault({ 46, 47 })
    void fault46_containerReapedBetweenStepsIsRecreated() throws Exception {
        var reaped = new AtomicInteger();
        CompletableFuture<?>[] all = new CompletableFuture[3];
        for (int i = 0; i < all.length; i++) {
            Jvm jvm = jvm();
            String name = i < 2 ? "shared" : "own";
            all[i] = CompletableFuture.runAsync(() -> {
                long last = 0;
                for (int n = 0; n < Scale.times(200, 50); n++) {
                    ZooKeeperGrant grant = jvm.grant(name);
                    assertThat(grant.fence()).isGreaterThan(last);
                    last = grant.fence();
                    if (grant.node().endsWith("0000000000")) {
                        reaped.incrementAndGet();
                    }
                    jvm.release(grant);
                    if (n % 5 == 0) {
                        java.util.concurrent.locks.LockSupport.parkNanos(12_000_000);
                    }
                }
            }, threads);
        }
        CompletableFuture.allOf(all).get(100, TimeUnit.SECONDS);
        assertThat(reaped.get()).as("new containers").isGreaterThan(3);
        Await.until("nothing stays but the root", SOON, () -> store.getChildren().forPath(root).isEmpty());
    }

    @Test
    void missingRootIsCreatedAgain() throws Exception {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("order-42"));
        Await.until("the container is reaped", SOON, () -> store.getChildren().forPath(root).isEmpty());
        store.delete().forPath(root);
        ZooKeeperGrant grant = jvm.grant("order-42");
        assertThat(new String(store.getData().forPath(root))).isEqualTo("quarkus-lock 1");
        jvm.release(grant);
    }

    @Test
    void grantAndReleaseTakeOneRoundTripEach() throws Exception {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, LONG_SESSION);
        jvm.release(jvm.grant("warm"));
        store.create().withMode(CreateMode.PERSISTENT).forPath(root + "/order-42");
        Duration delay = Duration.ofSeconds(1); // far longer than anything else here
        Duration less = delay.plus(delay).minusMillis(20);
        proxy.delayReplies(delay);
        Duration toHave = Duration.ofDays(1);
        Duration toGive = toHave;
        // Once more if a pause interfered
        for (int i = 0; i < 5 && (toHave.compareTo(less) > 0 || toGive.compareTo(less) > 0); i++) {
            long start = System.nanoTime();
            ZooKeeperGrant grant = jvm.grant("order-42");
            long granted = System.nanoTime();
            jvm.release(grant);
            toHave = shorter(toHave, Duration.ofNanos(granted - start));
            toGive = shorter(toGive, Duration.ofNanos(System.nanoTime() - granted));
        }
        assertThat(toHave).isBetween(delay, less);
        assertThat(toGive).isBetween(delay, less);
        proxy.pass();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Test
    @Fault(195)
    void fault195_failedClaimLeavesDespiteAThrowingSubscriber() throws Exception {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("foreign"));
        awaitNodes("foreign", 0);
        store.create().creatingParentsIfNeeded().forPath(root + "/foreign/what-is-this");
        var told = new CompletableFuture<Throwable>();
        Claim claim = Jvm.newClaim("foreign", LockMode.EXCLUSIVE, true);
        jvm.backend.acquire(claim).subscribe().withSubscriber(new Jvm.Waiting(claim) {

            @Override
            public void onFailure(Throwable failure) {
                told.complete(failure);
                throw new InternalError("on purpose");
            }
        });
        assertThat(Jvm.get(told)).hasMessageContaining("what-is-this");
        awaitNodes("foreign", 1);
    }
}
