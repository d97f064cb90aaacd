package io.quarkiverse.lock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A renewal is answered, which needs no guard, while the lease gets another holder. */
class LeaseTest {

    private static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final long MAX_HOLD = Duration.ofSeconds(15).toNanos();

    private final VirtualTime time = new VirtualTime();
    private final NameQueue queue = new NameQueue("a", new LeaseRules(new LocalBackend(new LocalStore(time)), time, null, null,
            new Fencing(0), 0, true));

    private LockHold hold(long maxHoldNanos) {
        return new LockHold(queue, new HoldSettings("test", null, Long.MAX_VALUE, LEASE, true, maxHoldNanos, OnLost.FAIL, 0,
                LockMode.EXCLUSIVE, 0), time.nanoTime(), null, null);
    }

    @Test
    void fault445_theWaitOfTheNextHolderIsNoPartOfItsMaxHold() {
        LockHold first = hold(Long.MAX_VALUE);
        Lease lease = new Lease(queue, new Grant(new Claim("a", 0, 1, LockMode.EXCLUSIVE, 0, LEASE, true), 1, time.nanoTime()),
                first, LeaseRules.clockGap(time), time.nanoTime());
        first.grant(lease, time.nanoTime());
        LockHold next = hold(MAX_HOLD);
        time.advance(Duration.ofNanos(2 * MAX_HOLD));
        long now = time.nanoTime();
        lease.passTo(next, now);
        lease.keptFor(LEASE, Sent.now(time), false);
        lease.confirmedBy(Sent.now(time), LEASE);
        next.grant(lease, now);
        assertThat(lease.deadline() - now).as("it is extended").isGreaterThan(LEASE / 2);
        assertThat(lease.renewalDue() - now).as("it will be renewed").isEqualTo(LEASE / 3);
    }
}
