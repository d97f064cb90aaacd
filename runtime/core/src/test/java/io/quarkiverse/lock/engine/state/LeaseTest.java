package io.quarkiverse.lock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A renewal is answered, which needs no guard, while the lease passes to another holder. */
class LeaseTest {

    private static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final long MAX_HOLD = Duration.ofSeconds(15).toNanos();
    private static final int ROUNDS = 5_000;

    private final VirtualTime time = new VirtualTime();
    private final NameQueue queue = new NameQueue("a", new LeaseRules(new LocalBackend(new LocalStore(time)), time, null, null,
            new Fencing(0), 0, true));

    private LockHold hold(long maxHoldNanos) {
        return new LockHold(queue, new HoldSettings("test", null, Long.MAX_VALUE, LEASE, true, maxHoldNanos, OnLost.FAIL, 0,
                LockMode.EXCLUSIVE, 0), time.nanoTime(), null, null);
    }

    @Test
    void fault445_maxHoldExcludesTheWaitOfTheNextHolder() {
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

    @Test
    void fault538_maxHoldMayStartDuringConfirmation() {
        assertThat(renewedAfterLimitsBegan(hold(MAX_HOLD).settings)).containsOnly(LEASE / 3);
    }

    /** While an answer is awaited, the next attempt is due later than the limit allows. */
    @Test
    void fault538_plannedRenewalIsKeptWhenLimitsStart() {
        assertThat(renewedAfterLimitsBegan(hold(MAX_HOLD).settings, 2 * MAX_HOLD)).containsOnly(LEASE / 3);
    }

    @Test
    void fault538_lastLeaseMayStartDuringConfirmation() {
        assertThat(renewedAfterLimitsBegan(new HoldSettings("test", null, Long.MAX_VALUE, LEASE, false, Long.MAX_VALUE,
                OnLost.FAIL, 0, LockMode.EXCLUSIVE, 0))).containsOnly(Long.MAX_VALUE);
    }

    private Set<Long> renewedAfterLimitsBegan(HoldSettings wanted) {
        return renewedAfterLimitsBegan(wanted, 0);
    }

    /**
     * Runs two threads, each of which starts a round as soon as the other does.
     *
     * @param underWay when the next attempt is due if there is no answer
     */
    private Set<Long> renewedAfterLimitsBegan(HoldSettings wanted, long underWay) {
        long before = time.nanoTime();
        time.advance(Duration.ofNanos(2 * MAX_HOLD));
        Sent sent = Sent.now(time);
        var begun = new AtomicInteger();
        var leases = new AtomicReferenceArray<Lease>(ROUNDS);
        var answers = new Thread(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                Lease lease;
                while ((lease = leases.get(i)) == null) {
                    Thread.yield();
                }
                begun.set(i + 1);
                lease.confirmedBy(sent, LEASE);
            }
            begun.set(ROUNDS + 1);
        });
        answers.start();
        for (int i = 0; i < ROUNDS; i++) {
            var hold = new LockHold(queue, wanted.whileIncomplete(), before, null, null);
            var lease = new Lease(queue, new Grant(new Claim("a", 0, 1, LockMode.EXCLUSIVE, 0, LEASE, true), 1, before), hold,
                    sent.clockGap(), before);
            hold.grant(lease, before);
            lease.renewalDue(sent.nanos() + underWay);
            var holds = new Holds(1);
            holds.add(hold);
            leases.set(i, lease);
            while (begun.get() <= i) {
                Thread.onSpinWait();
            }
            holds.complete(wanted, sent.nanos());
        }
        while (begun.get() <= ROUNDS) {
            Thread.yield();
        }
        var renewed = new HashSet<Long>();
        for (int i = 0; i < ROUNDS; i++) {
            long due = leases.get(i).renewalDue();
            renewed.add(due == Long.MAX_VALUE ? due : due - sent.nanos());
        }
        return renewed;
    }
}
