package io.quarkiverse.lock.deployment.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.FencingGuard;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A paused holder writes too late: without the guard it does damage, with the guard it is rejected. */
class FencingGuardTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Stock.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    private static final FencingGuard GUARD = new FencingGuard();

    @Inject
    Stock stock;

    @Inject
    LockManager locks;

    @Inject
    CurrentLock current;

    private Connection keptOpen;

    @BeforeEach
    void tables() throws SQLException {
        keptOpen = connect();
        try (Statement statement = keptOpen.createStatement()) {
            statement.execute("CREATE TABLE quarkus_lock_fence (resource VARCHAR(255) PRIMARY KEY, token BIGINT NOT NULL)");
            statement.execute("CREATE TABLE stock (amount INT)");
            statement.execute("INSERT INTO stock VALUES (10)");
        }
        keptOpen.commit();
    }

    @AfterEach
    void noTables() throws SQLException {
        keptOpen.close();
    }

    private static Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:fencing");
        connection.setAutoCommit(false);
        return connection;
    }

    @Test
    void writeOfPausedHolderIsRejected() throws Exception {
        CountDownLatch pause = new CountDownLatch(1);
        CompletableFuture<Long> paused = new CompletableFuture<>();
        CompletableFuture<Throwable> outcome = CompletableFuture.supplyAsync(() -> {
            try {
                stock.sellAfter(pause, paused, true);
                return null;
            } catch (Throwable e) {
                return e;
            }
        });
        long token = paused.get(10, TimeUnit.SECONDS);
        assertThat(stock.sell(7)).isGreaterThan(token); // once the other holder's lease has ended
        assertThat(amount()).isEqualTo(7);
        pause.countDown();
        assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("'stock'").hasMessageContaining(String.valueOf(token));
        assertThat(amount()).isEqualTo(7);
    }

    @Test
    void staleWriteSucceedsWithoutGuard() throws Exception {
        CountDownLatch pause = new CountDownLatch(1);
        CompletableFuture<Long> paused = new CompletableFuture<>();
        CompletableFuture<Void> done = CompletableFuture.runAsync(() -> {
            try {
                stock.sellAfter(pause, paused, false);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        paused.get(10, TimeUnit.SECONDS);
        stock.sell(7);
        pause.countDown();
        done.get(10, TimeUnit.SECONDS);
        assertThat(amount()).as("the later holder's write is lost").isEqualTo(9);
    }

    @Test
    void remembersTheGreatestTokenOfEachResource() throws Exception {
        try (Connection connection = connect()) {
            GUARD.check(connection, "a", 5);
            GUARD.check(connection, "a", 5);
            GUARD.check(connection, "b", 3);
            connection.commit();
            GUARD.check(connection, "a", 8);
            connection.rollback();
            GUARD.check(connection, "a", 6);
            assertThatThrownBy(() -> GUARD.check(connection, "a", 5)).isInstanceOf(StaleTokenException.class)
                    .hasMessageContaining("older than 6");
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> GUARD.check(connection, "a", 9)).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> new FencingGuard("fence; DROP TABLE stock")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fault470_rejectionNamesTheNewerToken() throws Exception {
        try (Connection connection = connect(); Connection other = connect()) {
            Connection interrupted = interrupted(connection, List.of(3L, 7L), token -> {
                GUARD.check(other, "stock", token);
                other.commit();
            });
            assertThatThrownBy(() -> GUARD.check(interrupted, "stock", 5)).isInstanceOf(StaleTokenException.class)
                    .hasMessageContaining("5 is older than 7");
        }
    }

    /** Another holder writes one of the tokens before each statement except the first. */
    private static Connection interrupted(Connection connection, List<Long> tokens, Write write) {
        AtomicInteger statements = new AtomicInteger();
        return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] { Connection.class },
                (proxy, method, arguments) -> {
                    int written = method.getName().equals("prepareStatement") ? statements.getAndIncrement() - 1 : -1;
                    if (written >= 0 && written < tokens.size()) {
                        write.of(tokens.get(written));
                    }
                    return method.invoke(connection, arguments);
                });
    }

    /** Remembers a token. */
    @FunctionalInterface
    private interface Write {

        void of(long token) throws SQLException;
    }

    @Test
    void tokenBelongsToCurrentScope() throws Exception {
        assertThatThrownBy(() -> current.fencingToken()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> current.fencingTokenAsync().await().indefinitely())
                .isInstanceOf(IllegalStateException.class);
        locks.lock("outer").call(() -> {
            long outer = current.fencingToken();
            locks.lock("inner").call(() -> {
                assertThat(current.fencingToken()).isGreaterThan(outer).isEqualTo(current.fencingToken("inner"));
                assertThat(current.fencingToken("outer")).isEqualTo(outer);
                assertThat(current.fencingTokens()).hasSize(2).containsEntry("outer", outer)
                        .containsEntry("inner", current.fencingToken());
                assertThatThrownBy(() -> current.fencingToken("other")).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'other'");
                return null;
            });
            assertThat(current.fencingToken()).isEqualTo(outer);
            assertThat(current.fencingTokens()).isEqualTo(Map.of("outer", outer));
            return null;
        });
        assertThat(current.fencingTokens()).isEmpty();
        Map<String, Long> inPipelines = locks.all("left", "right")
                .callAsync(() -> locks.lock("inner").callAsync(() -> current.fencingTokensAsync()))
                .await().atMost(Duration.ofSeconds(20));
        assertThat(inPipelines).containsOnlyKeys("left", "right", "inner");
        assertThat(current.fencingTokensAsync().await().indefinitely()).isEmpty();
        long async = stock.later().await().atMost(Duration.ofSeconds(20));
        assertThat(stock.later().await().atMost(Duration.ofSeconds(20))).isGreaterThan(async);
    }

    private static int amount() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT amount FROM stock")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @ApplicationScoped
    public static class Stock {

        @Inject
        CurrentLock lock;

        @Locked(value = "stock", lease = "1s", renew = "false", onLost = OnLost.NOTIFY)
        void sellAfter(CountDownLatch pause, CompletableFuture<Long> paused, boolean guarded) throws Exception {
            int left = amount() - 1;
            paused.complete(lock.fencingToken());
            pause.await(20, TimeUnit.SECONDS);
            write(left, guarded);
        }

        @Locked("stock")
        long sell(int left) throws Exception {
            write(left, true);
            return lock.fencingToken();
        }

        @Locked("later")
        Uni<Long> later() {
            return lock.fencingTokenAsync().flatMap(token -> lock.fencingTokenAsync("later")
                    .map(named -> named.equals(token) ? token : -1L));
        }

        private void write(int left, boolean guarded) throws SQLException {
            try (Connection connection = connect(); Statement statement = connection.createStatement()) {
                if (guarded) {
                    GUARD.check(connection, "stock", lock.fencingToken());
                }
                statement.executeUpdate("UPDATE stock SET amount = " + left);
                connection.commit();
            }
        }
    }
}
