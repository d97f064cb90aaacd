package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A renewal of several locks, blocked at the server by one of their rows for longer than its client waits. */
class LateRenewalTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final String WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

    private static PostgresServer server;

    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        locks = new Locks(server);
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
    }

    /** A name whose row a statement reaches before those of the others. */
    private String before(String... others) {
        for (int i = 0;; i++) {
            String id = locks.id("stuck-" + i);
            boolean first = true;
            for (String other : others) {
                first &= id.compareTo(locks.id(other)) < 0;
            }
            if (first) {
                return "stuck-" + i;
            }
        }
    }

    private long expires(String name) throws Exception {
        return locks.number("SELECT expires FROM quarkus_lock WHERE id = '" + locks.id(name) + "'");
    }

    private static boolean extended(LockHandle hold) {
        try {
            hold.extend(Duration.ofMinutes(5));
            return true;
        } catch (LockBackendException e) {
            return false; // another renewal came first, and waits
        }
    }

    @Test
    @Fault(150)
    void fault150_lateRenewalChangesNeitherExtendedNorReleasedLease() throws Exception {
        UnpooledConnections outside = server::connect;
        LockManager jvm = locks.jvm(LockDatabase.of(locks.pool(8), Databases.sessions("postgresql"), outside,
                Databases.OPTIONS.withOperationTimeout(Duration.ofSeconds(1))));
        LockOptions lease = LockOptions.DEFAULTS.withLease(LEASE);
        String first = before("extended", "kept");
        jvm.lock(first, lease).acquire();
        LockHandle hold = jvm.lock("extended", lease).acquire();
        LockHandle kept = jvm.lock("kept", lease.withHoldAtLeast(LEASE.minusSeconds(2))).acquire();
        long extendedUntil;
        long keptUntil;
        try (Connection blocking = server.connect(); Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("SELECT id FROM quarkus_lock WHERE id = '" + locks.id(first) + "' FOR UPDATE");
            Await.until("a renewal of all waits for the first", SOON, () -> locks.number(WAITING) > 0);
            kept.close();
            Await.until("it is extended", SOON, () -> extended(hold));
            extendedUntil = expires("extended");
            keptUntil = expires("kept");
            blocking.rollback();
        }
        Await.until("the renewal has come", SOON, () -> locks.number(WAITING) == 0);
        assertThat(hold.isValid()).isTrue();
        assertThat(expires("extended")).as("its holder relies on that").isGreaterThanOrEqualTo(extendedUntil);
        assertThat(expires("kept")).as("nobody holds it").isEqualTo(keptUntil);
    }
}
