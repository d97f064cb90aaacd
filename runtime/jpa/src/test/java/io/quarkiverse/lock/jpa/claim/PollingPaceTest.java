package io.quarkiverse.lock.jpa.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;

/** When a waiting claim polls again. */
class PollingPaceTest {

    /** How often the claims of this many JVMs poll in a minute in which nobody gets the lock. */
    private static long looks(int jvms) {
        long looks = 0;
        for (int ahead = 0; ahead < jvms; ahead++) {
            var pace = new PollingPace();
            for (long now = 1; now < Duration.ofMinutes(1).toNanos(); now += pace.untilLook(ahead, now)) {
                looks++;
            }
        }
        return looks;
    }

    @Test
    @Fault(115)
    void fault115_onlyClaimsNearTheHeadPollOften() {
        long near = looks(2);
        assertThat(looks(20)).as("those near the head, and a poll every second or two for each of the others")
                .isLessThan(near + near / 2 + 18 * 50);
        assertThat(looks(40) - looks(20)).as("those far from the head").isLessThan(20 * 40);
    }

    @Test
    @Fault(115)
    void fault115_waiterInMovingQueuePollsInTime() {
        var pace = new PollingPace();
        long now = 1;
        pace.untilLook(20, now);
        for (int ahead = 10; ahead > 1; ahead /= 2) {
            now += Duration.ofMillis(20L * ahead).toNanos(); // as many had their turn as are left, 20 ms each
            assertThat(Duration.ofNanos(pace.untilLook(ahead, now))).as("with %s before it", ahead)
                    .isLessThan(Duration.ofMillis(20L * ahead));
        }
        assertThat(Duration.ofNanos(pace.untilLook(0, now))).as("the head").isLessThanOrEqualTo(Duration.ofMillis(5));
    }

    /** How often a claim polls in ten minutes, after it has polled for a while. */
    private static long looksOfOneThatStandsStill(int ahead) {
        var pace = new PollingPace();
        long looks = 0;
        long settled = Duration.ofSeconds(20).toNanos();
        for (long now = 1; now < settled + Duration.ofMinutes(10).toNanos(); now += pace.untilLook(ahead, now)) {
            looks += now >= settled ? 1 : 0;
        }
        return looks;
    }

    @Test
    @Fault(196)
    void fault196_onlyTheHeadOfAnIdleQueuePollsOften() {
        assertThat(looksOfOneThatStandsStill(0)).as("the head").isBetween(10 * 600L, 12 * 600L);
        assertThat(looksOfOneThatStandsStill(1)).as("the second").isLessThan(5 * 600L);
        assertThat(looksOfOneThatStandsStill(2) + looksOfOneThatStandsStill(3) + looksOfOneThatStandsStill(4))
                .as("the next three").isLessThan(5 * 600L);
    }

    @Test
    @Fault(196)
    void fault196_advancingWaiterPollsAtOnceAgain() {
        var pace = new PollingPace();
        long now = 1;
        while (!pace.still()) {
            now += pace.untilLook(1, now);
        }
        now += Duration.ofSeconds(1).toNanos();
        pace.untilLook(1, now);
        assertThat(Duration.ofNanos(pace.untilLook(0, now))).as("the turn of the one before may be short")
                .isLessThanOrEqualTo(Duration.ofMillis(5));
        assertThat(pace.still()).isFalse();
    }
}
