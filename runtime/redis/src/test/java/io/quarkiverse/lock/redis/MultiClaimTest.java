package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.smallrye.mutiny.subscription.Cancellable;

/** Events between a call for several names and its reply. */
class MultiClaimTest extends RedisTest {

    private static List<Claim> claims(String... names) {
        var random = ThreadLocalRandom.current();
        return Stream.of(names).map(name -> new Claim(name, random.nextLong(), random.nextLong(), LockMode.EXCLUSIVE, 0,
                Jvm.LEASE.toNanos(), false)).toList();
    }

    private static CompletableFuture<List<? extends Grant>> ask(Jvm jvm, List<Claim> claims) {
        var granted = new CompletableFuture<List<? extends Grant>>();
        jvm.backend.acquireTogether(claims).subscribe().with(granted::complete, granted::completeExceptionally);
        return granted;
    }

    private static void askAndRelease(Jvm jvm) {
        List<? extends Grant> grants = Jvm.get(ask(jvm, claims("name", "other")));
        assertThat(grants).hasSize(2);
        grants.forEach(jvm::release);
    }

    /** If the server refuses one call of a write, all calls of that write run again. */
    @Test
    void grantOfFirstRunIsReleasedWhenRerunIsRefused() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON)).listening();
        askAndRelease(jvm);
        jvm.release(jvm.grant("fourth")); // a script is sent alone the first time
        store.redis.command("SCRIPT", "FLUSH");
        askAndRelease(jvm); // so that the server knows these scripts, and no others
        List<Claim> first = claims("name", "other");
        List<Claim> second = claims("other", "third");
        var granted = new CompletableFuture<List<? extends Grant>>();
        var grantedThen = new CompletableFuture<List<? extends Grant>>();
        var last = new CompletableFuture<Jvm.Waiting>();
        jvm.link.run(() -> { // all but the inspection goes out in one write, as the connection is busy
            jvm.backend.inspect("name").subscribe().with(ignored -> {
            });
            ask(jvm, first).thenAccept(granted::complete);
            jvm.link.run(() -> {
                var sent = new Attempts(true);
                sent.sent();
                jvm.backend.withdrawals().add(first.get(1), sent);
            });
            ask(jvm, second).thenAccept(grantedThen::complete);
            last.complete(jvm.claim("fourth"));
        });
        assertThat(Jvm.get(granted)).as("another claim has one of the names").isEmpty();
        assertThat(Jvm.get(grantedThen)).hasSize(2);
        assertThat(Jvm.get(last).grant()).isNotNull();
        Await.until("nothing of the first is left", SOON, () -> store.field("h:" + first.get(0).token()) == null);
    }

    @Test
    void messageOvertakingReplyTriggersOneRecheck() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON)).listening();
        askAndRelease(jvm);
        for (String message : List.of("R|%s", "L|%s|4711")) {
            int before = jvm.told.rechecks.get();
            List<Claim> claims = claims("name", "other");
            tellWhileAsking(jvm, claims, message.formatted(claims.get(1).token()));
            Await.until("all is checked", SOON, () -> jvm.told.rechecks.get() > before);
            askAndRelease(jvm);
            assertThat(jvm.told.rechecks).as("only once").hasValue(before + 1);
        }
    }

    @Test
    @Fault(108)
    void fault108_grantRequestedBeforeRecheckIsRecheckedToo() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON)).listening();
        askAndRelease(jvm);
        var granted = new CompletableFuture<List<? extends Grant>>();
        jvm.link.run(() -> {
            ask(jvm, claims("name", "other")).thenAccept(granted::complete);
            jvm.link.run(jvm.backend.registry()::recheck); // after the request, before any reply can be read
        });
        Jvm.get(granted).forEach(jvm::release);
        Await.until("they are checked", SOON, () -> jvm.told.rechecks.get() == 2);
    }

    @Test
    void messageAboutCancelledClaimTriggersNoRecheck() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON)).listening();
        askAndRelease(jvm);
        jvm.link.run(() -> { // called and cancelled before any reply can be read
            Cancellable made = jvm.backend.acquireTogether(claims("name", "other")).subscribe().with(ignored -> {
            });
            jvm.link.run(made::cancel);
        });
        Grant held = jvm.grant("third");
        assertThat(Jvm.get(ask(jvm, claims("third", "fourth")))).isEmpty();
        for (Claim gone : claims("name", "other")) {
            var told = new CompletableFuture<Void>();
            jvm.link.run(() -> {
                jvm.backend.registry().message(0, "L|" + gone.token() + "|4711");
                jvm.backend.registry().message(0, "R|" + gone.token());
                told.complete(null);
            });
            Jvm.get(told);
        }
        jvm.release(held);
        Await.until("what was given up is gone", SOON,
                () -> store.hash().keySet().stream().noneMatch(field -> field.startsWith("h:")));
        askAndRelease(jvm);
        assertThat(jvm.told.rechecks).hasValue(0);
    }

    @Test
    @Fault(364)
    void fault364_cancelledCallIsWithdrawnOverNewConnection() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500))).listening();
            askAndRelease(jvm); // so that the server knows the script
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            List<Claim> claims = claims("name", "other");
            jvm.link.run(() -> {
                Cancellable made = jvm.backend.acquireTogether(claims).subscribe().with(ignored -> {
                });
                jvm.link.run(made::cancel);
            });
            for (Claim claim : claims) {
                String key = Store.KEY.replace("name", claim.name());
                Await.until("it is withdrawn over a new connection", SOON,
                        () -> store.redis.number("HEXISTS", key, "x:" + claim.token()) == 1);
            }
        }
    }

    /** After the call, before any reply can be read. */
    private static void tellWhileAsking(Jvm jvm, List<Claim> claims, String message) {
        var granted = new CompletableFuture<List<? extends Grant>>();
        jvm.link.run(() -> {
            ask(jvm, claims).thenAccept(granted::complete);
            jvm.link.run(() -> jvm.backend.registry().message(0, message));
        });
        assertThat(Jvm.get(granted)).hasSize(2);
        Jvm.get(granted).forEach(jvm::release);
    }

    @Test
    void oneCallTakesAtMost500Names() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON)).listening();
        assertThat(jvm.backend.takesTogether(names(500))).isTrue();
        assertThat(jvm.backend.takesTogether(names(501))).isFalse();
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "name-" + i).toList();
    }
}
