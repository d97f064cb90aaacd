package io.quarkiverse.lock.jpa.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.ClaimProgress;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.TestTime;

/** A claim whose end meets that of its step, without a database. */
@Timeout(120)
class PendingClaimTest {

    private static final String ID = "id";

    private final LockTime time = new TestTime();
    private final Claim claim = new Claim("stock-7", 1, 2, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(30).toNanos(), true);
    private final Attempts attempts = new Attempts();
    private final ClaimProgress progress = new ClaimProgress(time);
    private final PendingWithdrawals withdrawals = new PendingWithdrawals(null, null, time);
    private final PendingClaim pending = new PendingClaim(claim, ID, null, attempts,
            new ClaimSteps(claim, ID, attempts, new Steps(null, null, null, null, 0, Duration.ofSeconds(2)), null, null, null,
                    null, null, null, time, null, "owner", null),
            progress, new ClaimRegistry(null, time), withdrawals, null, null, null);

    @Test
    @Fault(185)
    void fault185_aClaimThatEndsTogetherWithItsStepIsInTheWayOfNobody() throws Exception {
        progress.begin(); // its step runs
        var caller = new Thread(pending::cancel);
        withdrawals.lock.lock();
        try {
            caller.start();
            Await.until("the claim is about to be undone", Duration.ofSeconds(60),
                    () -> withdrawals.lock.hasQueuedThread(caller));
            pending.run(); // the step ends
        } finally {
            withdrawals.lock.unlock();
        }
        caller.join();
        assertThat(withdrawals.ongoing(ID)).isFalse();
    }

    @Test
    void whatIsWantedNextComesAfterTheStepThatRuns() {
        progress.begin();
        pending.cancel();
        var next = new boolean[1];
        withdrawals.after(ID, () -> next[0] = true);
        assertThat(next[0]).isFalse();
        pending.run();
        assertThat(next[0]).isTrue();
    }
}
