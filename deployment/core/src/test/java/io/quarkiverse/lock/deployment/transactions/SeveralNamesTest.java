package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A method under several locks holds all of them until its transaction has ended, or does not run. */
class SeveralNamesTest {

    private static final String ONE_FOR_EACH = "Each of the locks 'account-a, account-b' has its own fencing token: use "
            + "fencingToken(name)";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Accounts.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"patient-{a}, patient-{b}\".wait", "20s");

    @Inject
    LockManager locks;

    @Inject
    Accounts accounts;

    @Inject
    CurrentLock current;

    @Test
    void allLocksAreTakenOrNone() throws Exception {
        assertThat(accounts.transfer("b", "a")).isEqualTo("a b");
        try (LockHandle hold = locks.lock("account-b").acquire()) {
            assertThatThrownBy(() -> accounts.transfer("a", "b")).isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("'account-b'");
            assertThatThrownBy(() -> accounts.later("a", "b").await().indefinitely())
                    .isInstanceOf(LockBusyException.class);
            assertThatThrownBy(() -> accounts.stage("a", "b").toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(LockBusyException.class);
            assertThat(accounts.skipped("a", "b")).isNull();
            assertThat(accounts.replaced("a", "b").await().indefinitely()).isEqualTo("instead");
            assertThat(held("account-a")).isFalse();
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(accounts.later("b", "a").await().indefinitely()).isEqualTo("a b");
        assertThat(accounts.stage("b", "a").toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo("a b");
        assertThat(accounts.skipped("b", "a")).isEqualTo("a b");
        assertThat(accounts.replaced("b", "a").await().indefinitely()).isEqualTo("a b");
        assertThat(accounts.transfer("a", "a")).as("the same name twice").isEqualTo("a");
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault539_singleTokenIsRejectedForSeveralLocks() throws Exception {
        accounts.under("a", "b", () -> {
            assertOneForEach();
            locks.lock("account-a").call(() -> assertInnermost("account-a"));
            accounts.underOne("a", () -> assertInnermost("account-a"));
            locks.lock("c").call(() -> assertInnermost("c"));
            return assertOneForEach();
        });
        locks.lock("account-b").call(() -> {
            accounts.under("a", "b", this::assertOneForEach);
            locks.all("account-a", "account-b").call(this::assertOneForEach);
            return assertInnermost("account-b");
        });
        locks.lock("account-a")
                .call(() -> locks.lock("account-b").call(() -> accounts.under("a", "a", () -> assertInnermost("account-a"))));
        assertThatThrownBy(current::fencingToken).hasMessageContaining("not in the scope of a lock");
        assertThatThrownBy(() -> accounts.tokenInStage("a", "b").toCompletableFuture().get(20, TimeUnit.SECONDS))
                .cause().isInstanceOf(IllegalStateException.class).hasMessage(ONE_FOR_EACH);
        assertThat(locks.held()).isEmpty();
    }

    private Object assertInnermost(String name) {
        return assertThat(current.fencingToken()).isEqualTo(current.fencingToken(name));
    }

    private Object assertOneForEach() {
        assertThat(current.fencingTokens()).containsKeys("account-a", "account-b")
                .allSatisfy((name, token) -> assertThat(current.fencingToken(name)).isEqualTo(token));
        return assertThatThrownBy(current::fencingToken).isInstanceOf(IllegalStateException.class).hasMessage(ONE_FOR_EACH);
    }

    @Test
    void fault539_singleTokenIsRejectedInPipeline() {
        for (Uni<Long> several : List.of(accounts.tokenLater("a", "b"),
                locks.all("account-a", "account-b").callAsync(current::fencingTokenAsync),
                locks.lock("account-b").callAsync(() -> accounts.tokenLater("a", "b")))) {
            assertThatThrownBy(() -> several.await().indefinitely()).isInstanceOf(IllegalStateException.class)
                    .hasMessage(ONE_FOR_EACH);
        }
        Uni<Boolean> inside = locks.all("account-a", "account-b").callAsync(() -> Uni.combine().all()
                .unis(locks.lock("account-a").callAsync(current::fencingTokenAsync), current.fencingTokenAsync("account-a"))
                .with(Long::equals));
        assertThat(inside.await().indefinitely()).isTrue();
        assertThat(accounts.tokenLater("a", "a").await().indefinitely()).isPositive();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void nestedCallReentersOneOfSeveralLocks() {
        assertThat(accounts.nested("a", "b")).isEqualTo("a b");
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void callWaitsForAllLocks() throws Exception {
        LockHandle hold = locks.lock("patient-b").acquire();
        var waiting = accounts.patient("a", "b").subscribeAsCompletionStage();
        await(() -> held("patient-a"));
        assertThat(waiting).isNotDone();
        hold.close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("a b");
    }

    @Test
    void lockIsHeldUntilAfterCommit() throws Exception {
        accounts.book("a", "b", () -> {
        });
        for (Watched each : Accounts.WATCHED.get()) {
            assertThat(each.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        }
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void lossOfAnyLockRollsBack() throws Exception {
        for (String name : new String[] { "account-a", "account-b" }) {
            assertThatThrownBy(() -> accounts.book("a", "b", () -> locks.forceRelease(name)))
                    .isInstanceOf(LockLostException.class).hasMessageContaining(name);
            assertThat(Accounts.WATCHED.get()[0].end().committed()).as(name).isFalse();
            assertThat(locks.held()).isEmpty();
        }
    }

    @Test
    void lossOfAnyLockRollsBackPendingUni() throws Exception {
        for (String name : new String[] { "account-a", "account-b" }) {
            Accounts.WATCHED.set(null);
            var booking = accounts.bookLater("a", "b").subscribeAsCompletionStage();
            await(() -> Accounts.WATCHED.get() != null);
            locks.forceRelease(name);
            assertThatThrownBy(() -> booking.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
                    .cause().isInstanceOf(LockLostException.class).hasMessageContaining(name);
            assertThat(Accounts.WATCHED.get()[0].end().committed()).as(name).isFalse();
            await(() -> locks.held().isEmpty());
        }
    }

    @Test
    void cancelledUniKeepsAllLocksUntilRolledBack() throws Exception {
        Accounts.WATCHED.set(null);
        var booking = accounts.bookLater("a", "b").subscribe().with(result -> {
        }, failure -> {
        });
        await(() -> Accounts.WATCHED.get() != null);
        booking.cancel();
        for (Watched each : Accounts.WATCHED.get()) {
            assertThat(each.end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
        }
        await(() -> locks.held().isEmpty());
    }

    @Test
    void lossBeforeAllAreGrantedRestartsAcquisition() throws Exception {
        LockHandle hold = locks.lock("patient-d").acquire();
        var later = accounts.patient("c", "d").subscribeAsCompletionStage();
        await(() -> held("patient-c"));
        locks.forceRelease("patient-c");
        LockHandle first = locks.lock("patient-c").acquire();
        hold.close();
        await(() -> !held("patient-d"));
        assertThat(later).isNotDone();
        first.close();
        assertThat(later.get(10, TimeUnit.SECONDS)).isEqualTo("c d");
        assertThat(locks.held()).isEmpty();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + 15_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ApplicationScoped
    public static class Accounts {

        static final AtomicReference<Watched[]> WATCHED = new AtomicReference<>();

        @Inject
        LockManager locks;

        @Inject
        CurrentLock current;

        private String heldNow() {
            return locks.held().stream().map(held -> held.name().replace("account-", "").replace("patient-", "")).sorted()
                    .collect(Collectors.joining(" "));
        }

        @Locked({ "account-{from}", "account-{to}" })
        String transfer(String from, String to) {
            return heldNow();
        }

        @Locked({ "account-{from}", "account-{to}" })
        Object under(String from, String to, Callable<?> body) throws Exception {
            return body.call();
        }

        @Locked("account-{name}")
        Object underOne(String name, Callable<?> body) throws Exception {
            return body.call();
        }

        @Locked({ "account-{from}", "account-{to}" })
        Uni<Long> tokenLater(String from, String to) {
            return current.fencingTokenAsync();
        }

        @Locked({ "account-{from}", "account-{to}" })
        CompletionStage<Long> tokenInStage(String from, String to) {
            return CompletableFuture.completedFuture(current.fencingToken());
        }

        @Locked({ "account-{from}", "account-{to}" })
        String nested(String from, String to) {
            return locks.lock("account-" + to).tryAcquire(Duration.ZERO).map(hold -> {
                hold.close();
                return heldNow();
            }).orElse("busy");
        }

        @Locked({ "account-{from}", "account-{to}" })
        Uni<String> later(String from, String to) {
            return Uni.createFrom().item(this::heldNow);
        }

        @Locked({ "account-{from}", "account-{to}" })
        CompletionStage<String> stage(String from, String to) {
            return CompletableFuture.completedFuture(heldNow());
        }

        @Locked(value = { "account-{from}", "account-{to}" }, onBusy = OnBusy.SKIP)
        String skipped(String from, String to) {
            return heldNow();
        }

        @Locked(value = { "account-{from}", "account-{to}" }, onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        Uni<String> replaced(String from, String to) {
            return Uni.createFrom().item(this::heldNow);
        }

        Uni<String> instead(String from, String to) {
            return Uni.createFrom().item("instead");
        }

        @Locked({ "patient-{a}", "patient-{b}" })
        Uni<String> patient(String a, String b) {
            return Uni.createFrom().item(this::heldNow);
        }

        @Transactional
        @Locked({ "account-{from}", "account-{to}" })
        void book(String from, String to, Runnable body) {
            watch(from, to);
            body.run();
        }

        @Transactional
        @Locked({ "account-{from}", "account-{to}" })
        Uni<String> bookLater(String from, String to) {
            watch(from, to);
            return Uni.createFrom().nothing();
        }

        private static void watch(String from, String to) {
            WATCHED.set(new Watched[] { Watched.transaction("account-" + from), Watched.transaction("account-" + to) });
        }
    }
}
