package io.quarkiverse.lock.jpa.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.Locks;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.H2Database;

/** The connection on which leases are renewed: it is optional, and is not left behind. */
class RenewalConnectionTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final LockOptions BRIEF = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(30));

    /** Shorter than a renewal that waits for a connection takes, but longer than a busy machine delays one. */
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final Duration LONGER_THAN_SHORT = Duration.ofSeconds(6);

    private final H2Database server = Databases.prepared(new H2Database());
    private final List<Connection> made = new CopyOnWriteArrayList<>();
    private Locks locks;

    @BeforeEach
    void open() {
        locks = new Locks(server);
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
        server.close();
    }

    private LockManager jvm(UnpooledConnections outside) {
        return locks.jvm(LockDatabase.of(locks.pool(2), Databases.sessions("h2"), outside, Databases.OPTIONS));
    }

    private Connection make() throws SQLException {
        Connection connection = server.connect();
        made.add(connection);
        return connection;
    }

    private static void renews(LockHandle hold, int seconds) {
        hold.extend(Duration.ofSeconds(seconds));
        assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(seconds / 2));
    }

    @Test
    @Fault(113)
    void fault113_oneConnectionServesAllRenewalsUntilClose() throws Exception {
        LockManager jvm = jvm(this::make);
        try (LockHandle hold = jvm.lock("kept").acquire(); LockHandle other = jvm.lock("other").acquire()) {
            assertThat(made).as("before the first renewal").isEmpty();
            renews(hold, 60);
            renews(other, 90);
            renews(hold, 120);
            assertThat(made).hasSize(1);
        }
        locks.close();
        Await.until("it is closed", SOON, () -> made.get(0).isClosed());
    }

    @Test
    @Fault(113)
    void fault113_brokenRenewalConnectionIsReplaced() throws Exception {
        try (LockHandle hold = jvm(this::make).lock("kept", BRIEF).acquire()) {
            renews(hold, 60);
            made.get(0).close();
            renews(hold, 90);
            assertThat(made).hasSize(2);
        }
    }

    @Test
    @Fault(113)
    void fault113_renewalsUsePoolWithoutSpareConnection() {
        try (LockHandle hold = jvm(() -> {
            throw new SQLException("too many connections", "53300");
        }).lock("kept", BRIEF).acquire()) {
            renews(hold, 60);
        }
    }

    @Test
    @Fault(113)
    void fault113_slowConnectionDelaysNoRenewal() throws Exception {
        var mayConnect = new CountDownLatch(1);
        try (LockHandle hold = jvm(() -> {
            try {
                mayConnect.await();
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            return make();
        }).lock("kept", BRIEF).acquire()) {
            renews(hold, 60);
            mayConnect.countDown();
            Await.until("the late one is used", SOON, () -> {
                renews(hold, 90);
                return made.size() == 1;
            });
            renews(hold, 120);
            assertThat(made).hasSize(1);
        }
    }

    @Test
    @Fault(413)
    void fault413_hangingServerIsRetried() {
        var outside = new HangingOnce(server);
        var options = Databases.OPTIONS.withOperationTimeout(Duration.ofSeconds(1));
        LockManager jvm = locks.jvm(LockDatabase.of(locks.pool(2), Databases.sessions("h2"), outside, options));
        try (LockHandle hold = jvm.lock("kept", BRIEF).acquire()) {
            Await.until("another connection is opened", SOON, () -> {
                renews(hold, 60);
                return outside.asked() > 1;
            });
            outside.awaitEndOfLate(SOON);
        }
    }

    /** Each of its renewals would come too late if it waited for the connection. */
    @Test
    @Fault(413)
    void fault413_hangingServerCostsNoShortLease() {
        var outside = new HangingOnce(server);
        LockManager jvm = jvm(outside);
        try (LockHandle first = jvm.lock("first", BRIEF).acquire()) {
            renews(first, 60);
            try (LockHandle hold = jvm.lock("short", BRIEF.withLease(SHORT)).acquire()) {
                Await.during("it is renewed on the pool", LONGER_THAN_SHORT, hold::isValid);
            }
        } finally {
            outside.goOn();
        }
    }

    /** For example, only the pool's connections take the role that may use the tables. */
    @Test
    @Fault(417)
    void fault417_renewalsFallBackToPoolWhenRefused() {
        UnpooledConnections outside = () -> {
            Connection connection = make();
            try (var statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA IF NOT EXISTS elsewhere");
                statement.execute("SET SCHEMA elsewhere");
            }
            return connection;
        };
        try (LogLines log = LogLines.warnings("io.quarkiverse.lock.jpa");
                LockHandle hold = jvm(outside).lock("kept", BRIEF.withLease(SHORT)).acquire()) {
            Await.during("it is renewed", LONGER_THAN_SHORT, hold::isValid);
            assertThat(made).hasSize(1);
            assertThat(log.messages()).singleElement().asString().contains("Locks are not renewed", "lacks a table");
        }
    }

    @Test
    @Fault(417)
    void fault417_exhaustedPoolDoesNotPreventReconnect() throws Exception {
        var astray = new AtomicBoolean(true);
        UnpooledConnections outside = () -> {
            Connection connection = make();
            if (astray.get()) {
                try (var statement = connection.createStatement()) {
                    statement.execute("CREATE SCHEMA IF NOT EXISTS elsewhere");
                    statement.execute("SET SCHEMA elsewhere");
                }
            }
            return connection;
        };
        try (var pool = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 1,
                TransactionIntegration.none(), Duration.ofMillis(200))) {
            LockManager jvm = locks.jvm(LockDatabase.of(pool, Databases.sessions("h2"), outside, Databases.OPTIONS));
            try (LockHandle hold = jvm.lock("kept", BRIEF.withLease(SHORT)).acquire()) {
                Await.until("it is refused", SOON, () -> made.size() == 1 && made.get(0).isClosed());
                astray.set(false);
                try (Connection taken = pool.getConnection()) {
                    assertThat(taken.isValid(1)).isTrue();
                    Await.during("it is renewed", LONGER_THAN_SHORT, hold::isValid);
                }
                assertThat(made).hasSize(2);
            }
        }
    }
}
