package io.quarkiverse.lock.jpa;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/**
 * {@code lock_timeout} strikes when the lock becomes free: a caller that gets "busy" does not hold it, although its transaction
 * goes on.
 */
@DisplayNameGeneration(FaultDisplayNames.class)
@Timeout(300)
class PostgresTimeoutRaceTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long HELD = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    @Fault(13)
    void fault13_callerRejectedByLockTimeoutHoldsNothing() throws Exception {
        try (PostgresServer server = Databases.prepared(PostgresServer.start(Map.of()));
                var a = new TransactionalJvm(server, "race", false);
                var b = new TransactionalJvm(server, "race", false);
                var c = new TransactionalJvm(server, "race", false)) {
            int granted = 0;
            int rounds = Scale.times(100, 20);
            long held = HELD;
            long wait = HELD;
            for (int i = 0; i < rounds; i++) {
                boolean got = race(a, b, c, held, wait);
                granted += got ? 1 : 0;
                // Move towards the point where both happen; if the machine is too slow for that, hold the lock longer
                held = got && wait == STEP ? 2 * held : held;
                boolean bothSeen = granted > 0 && granted <= i;
                wait = Math.max(STEP, got ? wait - (bothSeen ? STEP : 4 * STEP) : wait + 2 * STEP);
            }
            assertThat(granted).as("of %d, so that both have been seen", rounds).isBetween(1, rounds - 1);
        }
    }

    /** @return whether b got the lock that a holds for a while */
    private static boolean race(TransactionalJvm a, TransactionalJvm b, TransactionalJvm c, long hold, long wait)
            throws Exception {
        var held = new CountDownLatch(1);
        CompletableFuture<?> holder = start(() -> inTransaction(() -> {
            a.locks.lock("n").acquire();
            held.countDown();
            LockSupport.parkNanos(hold);
            return null;
        }));
        assertThat(held.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return inTransaction(() -> {
            boolean got = b.locks.lock("n").tryAcquire(Duration.ofNanos(wait)).isPresent();
            holder.get(SOON.toSeconds(), TimeUnit.SECONDS);
            // While this transaction is still active
            Duration patience = got ? Duration.ZERO : SOON;
            boolean free = start(() -> inTransaction(() -> c.locks.lock("n").tryAcquire(patience).isPresent()))
                    .get(2 * SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(free).as("free, with b told that %s", got ? "it has it" : "it is busy").isEqualTo(!got);
            return got;
        });
    }

    private static <T> CompletableFuture<T> start(Callable<T> task) {
        var result = new CompletableFuture<T>();
        var thread = new Thread(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }, "race");
        thread.setDaemon(true);
        thread.start();
        return result;
    }
}
