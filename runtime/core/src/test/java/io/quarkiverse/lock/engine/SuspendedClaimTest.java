package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Grant;

/** A machine that is suspended while its claim is answered cannot tell how old the grant is. */
class SuspendedClaimTest extends PushingTest {

    private final List<Throwable> failed = new ArrayList<>();

    @Test
    void fault107_grantFromBeforeASuspensionIsConfirmedFirst() {
        ask();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        assertThat(granted).as("before it is confirmed").isEmpty();
        assertThat(backend.renewals).as("confirmed at once").isEqualTo(1);
        time.advance(Duration.ofMillis(700));
        backend.confirm();
        assertThat(granted).singleElement().satisfies(hold -> {
            assertThat(hold.isValid()).isTrue();
            assertThat(hold.validFor()).as("the whole lease, counted from the confirmation request")
                    .isEqualTo(Duration.ofMillis(30_000 - 2_000 - 700));
        });
    }

    /** Shorter than the margin of the lease, but longer than that of the brief lease of the initial claim. */
    @Test
    void fault107_shortSuspensionAlsoRequiresConfirmation() {
        ask();
        time.shiftWallClock(Duration.ofSeconds(1));
        backend.answer.run();
        assertThat(granted).isEmpty();
        assertThat(backend.renewals).as("confirmed at once").isEqualTo(1);
    }

    @Test
    void fault107_secondSuspensionRequiresAnotherConfirmation() {
        ask();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.confirm();
        assertThat(granted).isEmpty();
        assertThat(backend.renewals).isEqualTo(2);
        backend.confirm();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isTrue());
    }

    @Test
    void fault107_grantThatIsGoneIsClaimedAgain() {
        ask();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        Grant gone = backend.last;
        backend.deny();
        assertThat(backend.released).as("whatever is left of it is released").isEqualTo(1);
        assertThat(granted).isEmpty();
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> {
            assertThat(hold.isValid()).isTrue();
            assertThat(hold.fencingToken()).isGreaterThan(gone.fence() * Grant.TOKENS_PER_FENCE);
        });
    }

    @Test
    void fault107_tryAcquireFailsIfGrantIsNotConfirmed() {
        backend.slow = true;
        for (LockOptions once : List.of(LockOptions.DEFAULTS, LockOptions.DEFAULTS.withMode(LockMode.SHARED))) {
            int before = failed.size();
            locks.lock("a", once).tryAcquireAsync(Duration.ZERO).subscribe().with(hold -> hold.ifPresent(granted::add),
                    failed::add);
            time.shiftWallClock(Duration.ofMinutes(10));
            backend.answer.run();
            backend.deny();
            assertThat(granted).isEmpty();
            assertThat(failed).hasSize(before + 1).last().isInstanceOf(LockBackendException.class);
        }
    }

    @Test
    void fault107_cancellationDuringConfirmationReleasesTheGrant() {
        var wait = locks.lock("a");
        backend.slow = true;
        var asked = wait.acquireAsync().subscribe().with(granted::add);
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        asked.cancel();
        backend.confirm();
        assertThat(granted).isEmpty();
        assertThat(backend.released).isEqualTo(1);
    }

    @Test
    void grantIsDeliveredAtOnceWithoutASuspension() {
        ask();
        time.advance(Duration.ofMillis(100));
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isTrue());
        assertThat(backend.renewals).isZero();
    }

    private void ask() {
        backend.slow = true;
        locks.lock("a").acquireAsync().subscribe().with(granted::add, failed::add);
    }
}
