package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.netty.util.concurrent.EventExecutor;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;

/** The backend's artifact and the address of a Redis are all that locks need to be in that Redis. */
class DefaultClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> Server.start("requirepass s3cret"))
            .setAfterAllCustomizer(Server::stop)
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "${" + Server.URL + "}")
            .overrideRuntimeConfigKey("quarkus.redis.password", "s3cret")
            .overrideRuntimeConfigKey("quarkus.lock.redis.key-prefix", "app:")
            .overrideConfigKey("quarkus.lock.namespace", "shop")
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Server.class));

    @Inject
    LockManager locks;

    @Inject
    Stock stock;

    @Inject
    Vertx vertx;

    @Inject
    ExecutorService workers;

    @Test
    void locksAreStoredUnderConfiguredKey() {
        try (TinyRedis redis = new TinyRedis("127.0.0.1", Server.port())) {
            redis.command("AUTH", "s3cret");
            try (LockHandle hold = locks.lock("stock-7").acquire()) {
                assertThat(hold.isValid()).isTrue();
                assertThat(redis.keys("*stock-7*")).containsExactly("app:1:{shop:stock-7}");
            }
            Await.until("it is released", Duration.ofSeconds(20),
                    () -> redis.list("HKEYS", "app:1:{shop:stock-7}").size() == 1);
        }
    }

    @Test
    void annotatedMethodsUseTheBackend() {
        assertThat(stock.take(3)).isEqualTo(1);
        assertThat(stock.takeLater(4).await().atMost(Duration.ofSeconds(20))).isEqualTo(1);
    }

    @Test
    @Fault(38)
    void fault38_manyWaitersWorkWithDefaultConfiguration() {
        int waiters = 500;
        var granted = new ArrayList<CompletableFuture<Boolean>>();
        try (LockHandle hold = locks.lock("crowded").acquire()) {
            assertThat(hold.isValid()).isTrue();
            for (int i = 0; i < waiters; i++) {
                // Half of them share one name, half have one each
                String name = i % 2 == 0 ? "crowded" : "crowded-" + i;
                granted.add(locks.lock(name).tryAcquireAsync(Duration.ofSeconds(20))
                        .chain(taken -> taken.orElseThrow().release().replaceWith(true)).subscribeAsCompletionStage());
            }
        }
        for (CompletableFuture<Boolean> each : granted) {
            assertThat(each).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
        }
    }

    @Test
    @Fault(17)
    @SuppressWarnings("deprecation") // nothing else returns all event loops
    void fault17_renewalSurvivesBlockedApplicationThreads() {
        try (LockHandle hold = locks.lock("busy", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(3))).acquire()) {
            var release = new CountDownLatch(1);
            var blocked = new AtomicInteger();
            Runnable block = () -> {
                blocked.incrementAndGet();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
            int loops = 0;
            for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
                loop.execute(block);
                loops++;
            }
            for (int i = 0; i < 50; i++) {
                workers.execute(block);
            }
            int all = loops;
            try {
                Await.until("all event loops are blocked", Duration.ofSeconds(20), () -> blocked.get() >= all);
                Await.during("it is valid for two leases", Duration.ofSeconds(6), hold::isValid);
            } finally {
                release.countDown();
            }
        }
    }

    @ApplicationScoped
    public static class Stock {

        @Inject
        LockManager locks;

        @Locked("stock-{id}")
        public int take(int id) {
            return locks.inspect("stock-" + id).orElseThrow().holders().size();
        }

        @Locked("stock-{id}")
        public Uni<Integer> takeLater(int id) {
            return locks.inspectAsync("stock-" + id).map(info -> info.orElseThrow().holders().size());
        }
    }
}
