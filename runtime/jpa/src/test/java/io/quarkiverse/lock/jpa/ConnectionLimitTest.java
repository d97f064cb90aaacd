package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** MariaDB and MySQL limit the connections of each user, and report it with an error that looks like any other refusal. */
@Timeout(120)
class ConnectionLimitTest {

    private static final SQLException FULL = new SQLException(
            "User locks already has more than 'max_user_connections' active connections", "42000", 1203);

    @Test
    @Fault(464)
    void fault464_connectionLimitCountsAsConnectionFailure() {
        assertThat(SqlFailure.of(FULL)).isEqualTo(SqlFailure.CONNECTION);
        assertThat(SqlFailure.of(new SQLException("User 'locks' has exceeded the 'max_user_connections' resource", "42000",
                1226))).isEqualTo(SqlFailure.CONNECTION);
        assertThat(SqlFailure.of(new SQLException("User 'locks' has exceeded the 'max_questions' resource", "42000", 1226)))
                .as("on an existing connection").isEqualTo(SqlFailure.REFUSED);
        assertThat(SqlFailure.of(new SQLException("Host 'h' is blocked because of many connection errors", "HY000", 1129)))
                .isEqualTo(SqlFailure.CONNECTION);
        assertThat(SqlFailure.of(new SQLException("Access denied", "28000", 1045))).isEqualTo(SqlFailure.REFUSED);
        assertThat(SqlFailure.of(new SQLException("Access denied, this account is locked", "HY000", 4151)))
                .as("like a wrong password").isEqualTo(SqlFailure.REFUSED);
    }

    @Test
    @Fault(464)
    void fault464_waiterOutlastsTheConnectionLimit() throws Exception {
        try (var server = Databases.prepared(new H2Database()); var locks = new Locks(server)) {
            var refusals = new AtomicInteger();
            var refused = new CountDownLatch(6);
            LockHandle held = locks.jvm().lock("n").acquire();
            LockManager waiting = locks.jvm(LockDatabase.of(limited(locks.pool(4), refusals, refused),
                    Databases.sessions("h2"), null, Databases.OPTIONS));
            CompletableFuture<Optional<LockHandle>> waiter = CompletableFuture.supplyAsync(() -> {
                assertThat(waiting.lock("n").tryAcquire(Duration.ZERO)).isEmpty();
                refusals.set((int) refused.getCount());
                return waiting.lock("n").tryAcquire(Duration.ofSeconds(60));
            });
            assertThat(refused.await(60, TimeUnit.SECONDS) || waiter.isDone()).isTrue();
            held.close();
            assertThat(waiter.get(60, TimeUnit.SECONDS)).isPresent();
        }
    }

    /** Refuses connections while {@code refusals} are left. */
    private static DataSource limited(DataSource pool, AtomicInteger refusals, CountDownLatch refused) {
        return (DataSource) Proxy.newProxyInstance(ConnectionLimitTest.class.getClassLoader(),
                new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")
                            && refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        refused.countDown();
                        throw new SQLException(FULL.getMessage(), FULL.getSQLState(), FULL.getErrorCode());
                    }
                    try {
                        return method.invoke(pool, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
