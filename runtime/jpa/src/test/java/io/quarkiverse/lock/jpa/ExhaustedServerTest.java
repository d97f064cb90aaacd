package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** The server answers that its disk is full, or that it lacks memory. */
@Timeout(120)
class ExhaustedServerTest {

    private static SQLException full() {
        return new SQLException("could not extend file \"base/5/16388\": No space left on device", "53100");
    }

    @Test
    @Fault(519)
    void fault519_exhaustionErrorsAreClassified() {
        for (String state : List.of("53000", "53100", "53200", "58030")) {
            assertThat(SqlFailure.of(new SQLException("ERROR", state))).as(state).isEqualTo(SqlFailure.EXHAUSTED);
        }
        for (int code : List.of(3, 1021, 1026, 1037, 1041, 1114)) {
            assertThat(SqlFailure.of(new SQLException("Error", "HY000", code))).as("%d", code)
                    .isEqualTo(SqlFailure.EXHAUSTED);
        }
        assertThat(SqlFailure.of(new SQLException("temporary file size exceeds temp_file_limit", "53400")))
                .as("a setting").isEqualTo(SqlFailure.REFUSED);
        assertThat(SqlFailure.of(new SQLException("sorry, too many clients already", "53300"))).as("no connection")
                .isEqualTo(SqlFailure.CONNECTION);
        SqlFailure noServer = SqlFailure.of(new SQLException("failed to get remote server connection", "58000"));
        assertThat(noServer).as("what poolers say without a server").isEqualTo(SqlFailure.CONNECTION);
        assertThat(noServer.undone()).as("the server may have done it").isFalse();
    }

    @Test
    @Fault(519)
    void fault519_waiterSurvivesExhaustedServer() throws Exception {
        try (var server = Databases.prepared(new H2Database()); var locks = new Locks(server)) {
            LockHandle held = locks.jvm().lock("n").acquire();
            var left = new AtomicInteger();
            var refused = new CountDownLatch(3);
            LockManager waiting = locks.jvm(LockDatabase.of(Intercepted.statements(locks.pool(4), sql -> {
                if (left.getAndUpdate(some -> Math.max(0, some - 1)) > 0) {
                    refused.countDown();
                    throw full();
                }
            }), Databases.sessions("h2"), null, Databases.OPTIONS));
            assertThat(waiting.lock("n").tryAcquire(Duration.ZERO)).isEmpty();
            left.set(3);
            CompletableFuture<Optional<LockHandle>> waiter = CompletableFuture
                    .supplyAsync(() -> waiting.lock("n").tryAcquire(Duration.ofSeconds(60)));
            assertThat(refused.await(60, TimeUnit.SECONDS) || waiter.isDone()).isTrue();
            held.close();
            assertThat(waiter.get(60, TimeUnit.SECONDS)).isPresent();
        }
    }

    @Test
    @Fault(519)
    void fault519_failureNamesExhaustedResource() throws Exception {
        try (var server = Databases.prepared(new H2Database()); var locks = new Locks(server)) {
            LockManager manager = locks.jvm(LockDatabase.of(Intercepted.statements(locks.pool(4), sql -> {
                throw full();
            }), Databases.sessions("h2"), null, Databases.OPTIONS));
            assertThatThrownBy(() -> manager.lock("n").tryAcquire(Duration.ofSeconds(1)))
                    .isInstanceOf(LockBackendException.class)
                    .hasMessageContainingAll("lacks disk space or memory", "No space left on device", "quarkus.datasource.*")
                    .hasMessageNotContaining("cannot be reached");
        }
    }
}
