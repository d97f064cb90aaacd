package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

/** A machine that is suspended while its claim is answered finds a grant whose time it cannot tell. */
class SuspendedClaimTest extends PushingTest {

    @Test
    void theGrantIsNotValidBeforeItIsConfirmed() {
        ask();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isFalse());
    }

    /** Less than the margin of its lease, but more than that of the moment for which the backend keeps it at first. */
    @Test
    void alsoAfterAShortSuspension() {
        ask();
        time.shiftWallClock(Duration.ofSeconds(1));
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isFalse());
        assertThat(backend.renewals).as("confirmed at once").isEqualTo(1);
    }

    @Test
    void withoutASuspensionItIs() {
        ask();
        time.advance(Duration.ofMillis(100));
        backend.answer.run();
        assertThat(granted).singleElement().satisfies(hold -> assertThat(hold.isValid()).isTrue());
    }

    private void ask() {
        backend.slow = true;
        engine.manager(ManagerDefaults.STANDARD).lock("a").acquireAsync().subscribe().with(granted::add);
    }
}
