package io.quarkiverse.lock.jpa.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** A withdrawal that the database refuses, without a database. */
@Timeout(120)
class WithdrawalTest {

    private static final String ID = "id";

    private static final Duration SOON = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final Workers workers = new Workers(1, new Semaphore(1));

    @AfterEach
    void close() {
        workers.close();
    }

    /** Each of its attempts fails with this. */
    private PendingWithdrawals begun(SQLException failure) {
        ConnectionSource refusing = new ConnectionSource() {

            @Override
            public Connection take(long deadline) throws SQLException {
                throw failure;
            }

            @Override
            public void giveBack(Connection connection, Throwable because) {
            }
        };
        var steps = new Steps(refusing, new PostgresLockDialect(), null, new CallerTurns(null, false, null), 0, SOON);
        var withdrawals = new PendingWithdrawals(workers, new ClaimRemoval(steps, null, null), time);
        withdrawals.begin(ID);
        withdrawals.withdraw(ID, new Claim("stock-7", 1, 2, LockMode.EXCLUSIVE, 0, SOON.toNanos(), true), new Attempts());
        return withdrawals;
    }

    private void assertRepeated(SQLException failure) {
        int before = time.timers();
        begun(failure);
        Await.until("the next attempt is due later: " + failure.getMessage(), SOON, () -> time.timers() == before + 1);
    }

    private void assertGivenUp(SQLException failure) {
        int before = time.timers();
        begun(failure).await(SOON);
        assertThat(time.timers()).as(failure.getMessage()).isEqualTo(before);
    }

    @Test
    @Fault(518)
    void fault518_withdrawalIsRetriedOnReadOnlyServer() {
        assertRepeated(new SQLException("cannot execute SELECT FOR UPDATE in a read-only transaction", "25006"));
        assertRepeated(new SQLException("running with the --read-only option so it cannot execute this", "HY000", 1290));
        assertRepeated(new SQLException("Cannot execute statement in a READ ONLY transaction", "25006", 1792));
        assertRepeated(new SQLException("Running in read-only mode", "HY000", 1836));
    }

    @Test
    @Fault(519)
    void fault519_withdrawalIsRetriedOnFullDisk() {
        assertRepeated(new SQLException("could not extend file: No space left on device", "53100"));
        assertRepeated(new SQLException("The table 'quarkus_lock_claim' is full", "HY000", 1114));
    }

    @Test
    @Fault(518)
    void fault518_withdrawalIsAbandonedWhenPermissionIsDenied() {
        assertGivenUp(new SQLException("permission denied for table quarkus_lock", "42501"));
    }
}
