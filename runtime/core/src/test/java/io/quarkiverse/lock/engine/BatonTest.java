package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.Grant;

/** How long a grant is handed off within one JVM. */
class BatonTest extends PushingTest {

    @Test
    void grantIsHandedOffDuringRenewal() {
        ask(2);
        time.advance(Duration.ofMillis(100));
        assertThat(backend.renewals).as("a renewal is in progress").isEqualTo(1);
        granted.get(0).close();
        assertThat(granted).hasSize(2);
        assertThat(granted.get(1).fencingToken()).isEqualTo(granted.get(0).fencingToken() + 1);
        assertThat(backend.released).isZero();
    }

    @Test
    void grantIsNotHandedOffWhenNearlyExpired() {
        ask(2);
        time.advance(PushingBackend.CLAIM_LEASE.multipliedBy(3).dividedBy(4));
        granted.get(0).close();
        assertThat(backend.released).isEqualTo(1);
    }

    @Test
    void grantIsReleasedAfterMaxHandOffsWhileOthersWait() {
        ask(1_000);
        backend.listener.waiters(backend.last, true);
        int holds = 0;
        while (backend.released == 0) {
            granted.get(holds++).close();
        }
        assertThat(holds).isEqualTo(320);
        assertThat(granted).as("the next one has a grant of its own").hasSize(321);
        assertThat(granted.get(320).fencingToken()).isEqualTo((backend.last.fence()) * Grant.TOKENS_PER_FENCE);
    }

    @Test
    void grantIsReleasedAfterSliceWhileOthersWait() {
        ask(3);
        backend.listener.waiters(backend.last, true);
        time.advance(Duration.ofMillis(4));
        granted.get(0).close();
        assertThat(backend.released).isZero();
        time.advance(Duration.ofMillis(1));
        granted.get(1).close();
        assertThat(backend.released).isEqualTo(1);
    }

    @Test
    void remoteWaiterLeavingEndsTheShortSlice() {
        ask(3);
        backend.listener.waiters(backend.last, true);
        backend.listener.waiters(backend.last, false);
        time.advance(Duration.ofMillis(900));
        granted.get(0).close();
        assertThat(backend.released).isZero();
        time.advance(Duration.ofMillis(100));
        granted.get(1).close();
        assertThat(backend.released).as("the notification of a waiter may be lost").isEqualTo(1);
    }

    @Test
    void fault119_sliceAppliesWhenWaitersAreNotReported() {
        backend.tellsOfWaiters = false;
        ask(4);
        time.advance(Duration.ofMillis(4));
        granted.get(0).close();
        assertThat(backend.released).isZero();
        time.advance(Duration.ofMillis(1));
        granted.get(1).close();
        assertThat(backend.released).as("a waiter would not be reported").isEqualTo(1);
        backend.tellsOfWaiters = true;
        time.advance(Duration.ofMillis(5));
        granted.get(2).close();
        assertThat(backend.released).as("after the slice of that grant").isEqualTo(2);
    }

    @Test
    void fault119_sliceIsConfigurable() {
        var patient = new PushingBackend();
        patient.tellsOfWaiters = false;
        try (var other = LockEngine.builder(patient).time(time).threads(CallerThreads.plain(Runnable::run))
                .slice(Duration.ofMillis(200)).start()) {
            List<LockHandle> holds = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                other.manager(ManagerDefaults.STANDARD).lock("a").acquireAsync().subscribe().with(holds::add, closed -> {
                });
            }
            time.advance(Duration.ofMillis(199));
            holds.get(0).close();
            assertThat(patient.released).isZero();
            time.advance(Duration.ofMillis(1));
            holds.get(1).close();
            assertThat(patient.released).isEqualTo(1);
            holds.get(2).close();
        }
    }

    private void ask(int times) {
        for (int i = 0; i < times; i++) {
            locks.lock("a").acquireAsync().subscribe().with(granted::add, closed -> {
            });
        }
        assertThat(granted).hasSize(1);
    }
}
