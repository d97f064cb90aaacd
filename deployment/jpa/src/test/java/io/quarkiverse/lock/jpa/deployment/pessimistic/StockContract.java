package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.Status;

import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.narayana.jta.QuarkusTransaction;

/** Locks that live in transactions, in an application, on any database. */
abstract class StockContract {

    @Inject
    Stock stock;

    @Inject
    LockManager locks;

    @Inject
    CurrentLock current;

    @Inject
    Losses losses;

    /** Observes lost locks, including those of other tests. */
    @Singleton
    public static class Losses {

        private final Map<String, CompletableFuture<LockLost>> byName = new ConcurrentHashMap<>();

        CompletableFuture<LockLost> of(String name) {
            return byName.computeIfAbsent(name, each -> new CompletableFuture<>());
        }

        void lost(@ObservesAsync LockLost event) {
            of(event.name()).complete(event);
        }
    }

    @Inject
    AgroalDataSource connections;

    /** The query for the id of the current session. */
    abstract String sessionQuery();

    /** Kills a session as an administrator would. */
    abstract String kill(Object session);

    private static <T> Future<T> start(ExecutorService threads, Callable<T> task) {
        return threads.submit(task);
    }

    @Test
    void nextHolderReadsLastCommit() throws Exception {
        stock.create(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                running.add(threads.submit(() -> {
                    for (int k = 0; k < 25; k++) {
                        stock.add(1);
                        stock.addWithoutAnnotation(1);
                        assertThatThrownBy(() -> stock.addAndFail(1)).hasMessage("roll back");
                        assertThatThrownBy(() -> stock.addAndFailWithoutAnnotation(1)).hasMessage("roll back");
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(stock.value(1)).isEqualTo(200);
    }

    @Test
    void transactionIsBegunForMethodWithoutOne() throws Exception {
        assertThat(stock.statusInside("own")).isEqualTo(Status.STATUS_ACTIVE);
        assertThat(QuarkusTransaction.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
    }

    @Test
    void severalNamesAreLockedAllOrNone() throws Exception {
        assertThat(stock.both("second", "first")).isTrue();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                assertThat(stock.now("second")).isTrue();
                assertThatThrownBy(() -> start(other, () -> stock.both("second", "first")).get(30, TimeUnit.SECONDS))
                        .hasRootCauseInstanceOf(LockBusyException.class);
                assertThat(start(other, () -> stock.bothOrSkip("first", "second"))).succeedsWithin(Duration.ofSeconds(30))
                        .isNull();
                assertThat(start(other, () -> stock.replaced("second"))).succeedsWithin(Duration.ofSeconds(30))
                        .isEqualTo("instead of second");
                assertThat(start(other, () -> stock.now("first"))).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
            });
            assertThat(stock.bothOrSkip("first", "second")).isEqualTo("both");
            assertThat(stock.replaced("second")).isEqualTo("locked");
        } finally {
            other.shutdownNow();
        }
        assertThatThrownBy(() -> locks.all("first", "second")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all()");
        assertThatThrownBy(() -> locks.lock("first").asJavaLock()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("asJavaLock()");
    }

    @Test
    void lockEndsWithTheCallersTransaction() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                assertThat(stock.now("outer")).isTrue();
                assertThat(stock.now("outer")).as("the transaction already holds it").isTrue();
                assertThatThrownBy(() -> start(other, () -> stock.now("outer")).get(30, TimeUnit.SECONDS))
                        .hasRootCauseInstanceOf(LockBusyException.class);
            });
            assertThat(start(other, () -> stock.now("outer")).get(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void handleRequiresTransaction() {
        assertThatThrownBy(() -> locks.lock("no-transaction").acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-transaction").hasMessageContaining("@Transactional").hasMessageContaining("call()")
                .hasMessageContaining("quarkus.lock.jpa.strategy=lease");
        QuarkusTransaction.requiringNew().run(() -> {
            try (LockHandle hold = locks.lock("in-transaction").acquire()) {
                assertThat(hold.isValid()).isTrue();
                assertThat(hold.fencingToken()).isPositive();
            }
        });
    }

    @Test
    void callBeginsATransaction() throws Exception {
        assertThat(locks.lock("called").call(QuarkusTransaction::getStatus)).isEqualTo(Status.STATUS_ACTIVE);
        assertThat(QuarkusTransaction.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
    }

    @Test
    void asyncLeaseAndForcedReleaseAreRejected() {
        assertThatThrownBy(() -> locks.lock("async").acquireAsync().await().indefinitely())
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("acquireAsync()")
                .hasMessageContaining("quarkus.lock.jpa.strategy=lease");
        assertThatThrownBy(() -> locks.lock("lease", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(5))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("lease");
        assertThatThrownBy(() -> locks.forceRelease("forced")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("forced");
    }

    @Test
    void busyLockDoesNotAffectCallersTransaction() throws Exception {
        stock.create(2);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> holder = start(other, () -> stock.inTransaction("busy", () -> {
                held.countDown();
                return end.await(60, TimeUnit.SECONDS);
            }));
            assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
            QuarkusTransaction.requiringNew().run(() -> {
                stock.addWithoutAnnotation(2);
                assertThat(stock.orSkip("busy")).isNull();
                assertThatThrownBy(() -> stock.now("busy")).isInstanceOf(LockBusyException.class).hasMessageContaining("busy");
                stock.addWithoutAnnotation(2);
            });
            end.countDown();
            assertThat(holder.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(stock.value(2)).isEqualTo(2);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void fault554_fallbackRunsOutsideTransactionBegunForLock() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                assertThat(stock.now("occupied")).isTrue();
                assertThat(start(other, () -> stock.statusOrInstead("occupied"))).succeedsWithin(Duration.ofSeconds(30))
                        .isEqualTo(Status.STATUS_NO_TRANSACTION);
            });
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void fault539_singleTokenIsRejectedForSeveralLocks() throws Exception {
        stock.under("token-b", "token-a", () -> {
            assertThat(current.fencingToken("token-a")).isPositive();
            assertThat(current.fencingToken("token-b")).isPositive();
            assertThat(stock.<Long> inside("token-a", current::fencingToken)).isEqualTo(current.fencingToken("token-a"));
            return assertThatThrownBy(current::fencingToken).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'token-a, token-b'").hasMessageContaining("fencingToken(name)");
        });
        stock.inTransaction("token-b", () -> stock.under("token-a", "token-b",
                () -> assertThatThrownBy(current::fencingToken).isInstanceOf(IllegalStateException.class)));
        assertThat(stock.<Long> under("token-a", "token-a", current::fencingToken)).as("the same name twice").isPositive();
    }

    @Test
    void requiresNewDoesNotDeadlockOnCallersLock() {
        assertThat(stock.nestedRequiresNew("nested")).as("the caller's scope already holds it").isTrue();
        QuarkusTransaction.requiringNew().run(() -> {
            stock.now("suspended");
            assertThatThrownBy(() -> stock.requiresNew("suspended")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("suspended").hasMessageContaining("REQUIRES_NEW");
        });
    }

    @Test
    void transactionTimeoutLosesTheLock() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        losses.of("too-long").thenRun(lost::countDown);
        assertThatThrownBy(() -> stock.tooLong("too-long", lost)).isInstanceOf(LockLostException.class)
                .hasMessageContaining("too-long");
        assertThat(losses.of("too-long")).succeedsWithin(Duration.ofSeconds(30));
        assertThat(stock.now("too-long")).isTrue();
    }

    @Test
    void fault48_lostConnectionIsNotReportedAsSuccess() throws Exception {
        stock.create(3);
        Callable<String> body = () -> {
            stock.addWithoutAnnotation(3);
            endSession();
            return "success";
        };
        assertThatThrownBy(() -> stock.inTransaction("killed", body)).isInstanceOf(LockLostException.class)
                .hasMessageContaining("killed");
        assertThatThrownBy(() -> stock.inside("killed", body)).isInstanceOf(LockLostException.class)
                .hasMessageContaining("killed");
        assertThat(stock.value(3)).isZero();
        assertThat(stock.now("killed")).isTrue();
    }

    /** A transaction is committed after a checked exception: a caller that gets only that one assumes a commit. */
    @Test
    void fault403_checkedExceptionDoesNotHideLoss() throws Exception {
        stock.create(4);
        assertThatThrownBy(() -> stock.inTransaction("checked", () -> {
            stock.addWithoutAnnotation(4);
            endSession();
            throw new IOException("on purpose");
        })).isInstanceOf(LockLostException.class).hasMessageContaining("checked")
                .satisfies(loss -> assertThat(loss.getSuppressed()).singleElement().isInstanceOf(IOException.class));
        assertThat(stock.value(4)).isZero();
        assertThatThrownBy(() -> stock.inTransaction("checked", () -> {
            stock.addWithoutAnnotation(4);
            throw new IOException("on purpose");
        })).isInstanceOf(IOException.class).hasNoSuppressedExceptions();
        assertThat(stock.value(4)).isEqualTo(1);
    }

    /** Ends the session of the current transaction. */
    private void endSession() throws Exception {
        stock.flush();
        Object session = stock.single(sessionQuery());
        ExecutorService administrator = Executors.newSingleThreadExecutor();
        try {
            start(administrator, () -> {
                try (var connection = connections.getConnection(); var statement = connection.createStatement()) {
                    return statement.execute(kill(session));
                }
            }).get(30, TimeUnit.SECONDS);
        } finally {
            administrator.shutdownNow();
        }
    }

    @Test
    void markedForRollbackIsReportedAsLoss() {
        assertThatThrownBy(() -> stock.markedForRollback("marked")).isInstanceOf(LockLostException.class)
                .hasMessageContaining("rolled back");
        assertThat(stock.now("marked")).isTrue();
    }
}
