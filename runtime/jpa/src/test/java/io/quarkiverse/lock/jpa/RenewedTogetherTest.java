package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** Grants with different remaining times: each has its own lease. */
class RenewedTogetherTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<String> updates = new CopyOnWriteArrayList<>();

    @Test
    @Fault(527)
    void fault527_leasesDifferingBySubsecondsShareStatement() throws Exception {
        try (H2Database server = Databases.prepared(new H2Database());
                var pool = Databases.pool(server, server.url(), 8)) {
            DataSource watched = Intercepted.statements(pool, sql -> {
                if (sql.contains("CASE WHEN expires")) {
                    updates.add(sql);
                }
            });
            var backend = new JpaLockBackend(
                    LockDatabase.of(watched, Databases.sessions(server.kind()), null, Databases.OPTIONS), "", "test");
            try (LockEngine engine = LockEngine.builder(backend).start()) {
                List<Grant> grants = new ArrayList<>();
                grants.add(granted(backend, Duration.ofMinutes(10), 0));
                for (int i = 1; i <= 40; i++) {
                    grants.add(granted(backend, Duration.ofMinutes(5).plusMillis(20 * i), i));
                }
                updates.clear();
                assertThat(backend.renew(grants).await().atMost(SOON).renewed()).hasSize(41);
                assertThat(updates).as("one for the long lease, one for the others").hasSize(2);
                assertThat(updates.get(0).length()).as("the larger batch first").isGreaterThan(updates.get(1).length());
            }
        }
    }

    private static Grant granted(JpaLockBackend backend, Duration lease, int id) {
        var grant = (JpaGrant) backend.acquire(new Claim("name-" + id, 1, id, LockMode.EXCLUSIVE, 0, lease.toNanos(), false))
                .await().atMost(SOON);
        assertThat(grant.renewalNanos()).isBetween(lease.toNanos(), lease.plusSeconds(1).toNanos());
        return grant;
    }

    @Test
    @Fault(527)
    void fault527_renewalRoundingStaysWithinBounds() {
        JpaLockOptions options = JpaLockOptions.STANDARD;
        assertThat(rounded(Duration.ofMillis(9_999), options)).isEqualTo(Duration.ofMillis(9_999));
        assertThat(rounded(Duration.ofMillis(10_001), options)).isEqualTo(Duration.ofSeconds(11));
        assertThat(rounded(Duration.ofSeconds(30), options)).isEqualTo(Duration.ofSeconds(30));
        Duration longest = Duration.ofMillis(30_500);
        assertThat(rounded(longest, options.withGrace(longest))).as("no longer than the longest lease").isEqualTo(longest);
    }

    private static Duration rounded(Duration lease, JpaLockOptions options) {
        var claim = new Claim("name", 1, 1, LockMode.EXCLUSIVE, 0, lease.toNanos(), false);
        var errors = new ErrorMessages(options, "tables", 1);
        return Duration.ofNanos(new JpaGrant(claim, "id", errors, new JpaGrant.Attempts(), 1, 0).renewalNanos());
    }
}
