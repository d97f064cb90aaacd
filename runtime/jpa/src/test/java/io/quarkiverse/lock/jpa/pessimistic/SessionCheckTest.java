package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.database.HangingOnce;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** What the check of a held lock's session says when it cannot connect. */
class SessionCheckTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofMillis(300);

    private final H2Database server = Databases.prepared(new H2Database());
    private final RowLock rowLock = new H2RowLock("quarkus_lock");
    private Connection holder;
    private TransactionGrant held;

    @BeforeEach
    void hold() throws SQLException {
        holder = server.connect();
        try (var statement = holder.createStatement()) {
            statement.execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, since, expires, shared_until, "
                    + "queue_until) VALUES ('n', 'n', 1, 0, 0, 0, 0, 0, 0)");
        }
        holder.setAutoCommit(false);
        held = new TransactionGrant(new Claim("n", 1, 1, LockMode.EXCLUSIVE, 0, 1, true), "n", System.nanoTime());
        held.locked(rowLock.lock(holder, "n", 0, RowLock.Running.NOBODY), this);
    }

    @AfterEach
    void close() throws SQLException {
        holder.close();
        server.close();
    }

    private SessionCheck check(UnpooledConnections outside) {
        return new SessionCheck(outside, rowLock, TIMEOUT);
    }

    @Test
    @Fault(413)
    void fault413_aServerThatHangsKeepsNoCheckFromTheNextOne() throws Exception {
        var outside = new HangingOnce(server);
        SessionCheck check = check(outside);
        assertThatThrownBy(() -> start(() -> check.check(List.of(held))).get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(SQLException.class);
        assertThat(check.check(List.of(held)).renewed()).hasSize(1);
        holder.rollback();
        assertThat(check.check(List.of(held)).lost()).hasSize(1);
        outside.awaitEndOfLate(SOON);
    }
}
