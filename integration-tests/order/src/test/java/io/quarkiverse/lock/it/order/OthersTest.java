package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.grpc.StatusRuntimeException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.it.order.grpc.Counter;
import io.quarkiverse.lock.it.order.grpc.NextReply;
import io.quarkiverse.lock.it.order.grpc.NextRequest;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.cache.CacheInvalidate;
import io.quarkus.cache.CacheResult;
import io.quarkus.grpc.GrpcClient;
import io.quarkus.grpc.GrpcService;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

/** The position of the lock among the interceptors of other extensions on the same method: the guide's table, row by row. */
class OthersTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(Prices.class, Vault.class, Clock.class, Inbox.class, CounterService.class,
                            Held.class).addPackage(NextRequest.class.getPackage()))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock")
                    && record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records).as("fault 483").extracting(OthersTest::message)
                    .allSatisfy(message -> assertThat(message).contains("@CacheResult", "until the entry expires"))
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).startsWith("[" + Prices.class.getName() + ".skipped]")
                                    .contains("onBusy = SKIP"),
                            message -> assertThat(message).startsWith("[" + Prices.class.getName() + ".later]")
                                    .contains("onBusy = SKIP"),
                            message -> assertThat(message).startsWith("[" + Prices.class.getName() + ".estimated]")
                                    .contains("onBusy = FALLBACK")))
            .overrideConfigKey("quarkus.grpc.server.use-separate-server", "false")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideRuntimeConfigKey("quarkus.grpc.clients.counter.host", "localhost")
            .overrideRuntimeConfigKey("quarkus.grpc.clients.counter.port", "${quarkus.http.test-port}");

    @Inject
    LockManager locks;

    @Inject
    Prices prices;

    @Inject
    Vault vault;

    @Channel("orders")
    Emitter<String> orders;

    @Channel("parcels")
    Emitter<String> parcels;

    @GrpcClient
    Counter counter;

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @Test
    void fault126_cachedResultTakesNoLock() {
        assertThat(prices.of("7")).isEqualTo("locked: true");
        try (LockHandle hold = locks.lock("price-7").acquire()) {
            assertThat(prices.of("7")).isEqualTo("locked: true");
            assertThatThrownBy(() -> prices.change("7")).isInstanceOf(LockBusyException.class);
            assertThatThrownBy(() -> prices.of("7")).as("the entry is invalidated before the lock is taken")
                    .isInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault483_substituteForBusyLockIsCached() {
        try (LockHandle hold = locks.lock("price-8").acquire()) {
            assertThat(prices.skipped("8")).isNull();
            assertThat(prices.estimated("8")).isEqualTo("about 8");
            assertThat(prices.later("8").await().atMost(SOON)).isNull();
            assertThatThrownBy(() -> prices.of("8")).isInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(prices.skipped("8")).isNull();
        assertThat(prices.estimated("8")).isEqualTo("about 8");
        assertThat(prices.later("8").await().atMost(SOON)).isNull();
        assertThat(prices.of("8")).as("a failure is not cached").isEqualTo("locked: true");
    }

    @Test
    void fault126_unauthorizedCallerDoesNotWait() {
        ManagedContext request = Arc.container().requestContext();
        request.activate();
        try (LockHandle hold = locks.lock("vault").acquire()) {
            assertThatThrownBy(() -> vault.open()).isInstanceOf(UnauthorizedException.class);
            assertThat(hold.isValid()).isTrue();
        } finally {
            request.terminate();
        }
    }

    @Test
    void fault126_scheduledMethodRunsInsideItsLock() throws Exception {
        assertThat(Clock.LOCKED.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void fault126_messageIsAcknowledgedAfterTheLock() throws Exception {
        orders.send("7").toCompletableFuture().get(30, TimeUnit.SECONDS);
        parcels.send("7").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle order = locks.lock("order-8").acquire(); LockHandle parcel = locks.lock("parcel-8").acquire()) {
            refused(orders.send("8"));
            refused(parcels.send("8"));
            assertThat(order.isValid() && parcel.isValid()).isTrue();
        }
        assertThat(Inbox.LOCKED).hasValue(2);
    }

    private static void refused(CompletionStage<Void> message) {
        assertThat(message.toCompletableFuture()).failsWithin(Duration.ofSeconds(30)).withThrowableThat()
                .havingRootCause().isInstanceOf(LockBusyException.class);
    }

    @Test
    void fault126_grpcMethodHoldsLockUntilUniEnds() {
        NextRequest request = NextRequest.newBuilder().setName("7").build();
        assertThat(counter.next(request).await().atMost(Duration.ofSeconds(30)).getLocked()).isTrue();
        try (LockHandle hold = locks.lock("counter-7").acquire()) {
            assertThatThrownBy(() -> counter.next(request).await().atMost(Duration.ofSeconds(30)))
                    .isInstanceOf(StatusRuntimeException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @ApplicationScoped
    public static class Prices {

        @Inject
        Held held;

        @CacheResult(cacheName = "prices")
        @Locked(value = "price-{id}", waitFor = "0")
        String of(String id) {
            return "locked: " + held.is("price-" + id);
        }

        @CacheResult(cacheName = "skipped")
        @Locked(value = "price-{id}", waitFor = "0", onBusy = OnBusy.SKIP)
        String skipped(String id) {
            return id;
        }

        @CacheResult(cacheName = "estimated")
        @Locked(value = "price-{id}", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "about")
        String estimated(String id) {
            return id;
        }

        String about(String id) {
            return "about " + id;
        }

        @CacheResult(cacheName = "later")
        @Locked(value = "price-{id}", waitFor = "0", onBusy = OnBusy.SKIP)
        Uni<String> later(String id) {
            return Uni.createFrom().item(id);
        }

        @CacheInvalidate(cacheName = "prices")
        @Locked(value = "price-{id}", waitFor = "0")
        void change(String id) {
        }
    }

    @ApplicationScoped
    public static class Vault {

        @RolesAllowed("clerk")
        @Locked(value = "vault", waitFor = "0")
        void open() {
        }
    }

    @ApplicationScoped
    public static class Clock {

        static final CompletableFuture<Boolean> LOCKED = new CompletableFuture<>();

        @Inject
        Held held;

        @Scheduled(every = "1s")
        @Locked("clock")
        void tick() {
            LOCKED.complete(held.is("clock"));
        }
    }

    @ApplicationScoped
    public static class Inbox {

        static final AtomicInteger LOCKED = new AtomicInteger();

        @Inject
        Held held;

        @Incoming("orders")
        @Blocking
        @Locked(value = "order-{id}", waitFor = "0")
        public void order(String id) {
            count("order-" + id);
        }

        @Incoming("parcels")
        @Locked(value = "parcel-{id}", waitFor = "0")
        public Uni<Void> parcel(String id) {
            return Uni.createFrom().voidItem().invoke(() -> count("parcel-" + id));
        }

        private void count(String name) {
            if (held.is(name)) {
                LOCKED.incrementAndGet();
            }
        }
    }

    @GrpcService
    public static class CounterService implements Counter {

        @Inject
        Held held;

        @Override
        @Locked(value = "counter-{request.name}", waitFor = "0")
        public Uni<NextReply> next(NextRequest request) {
            return Uni.createFrom()
                    .item(() -> NextReply.newBuilder().setLocked(held.is("counter-" + request.getName())).build());
        }
    }
}
