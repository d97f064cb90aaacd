package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** For each rule, a history that breaks it and a similar one that does not. Times are in seconds. */
class HistoryCheckerTest {

    private static final long LEASE = 3;
    private static final HistoryChecker CHECKER = new HistoryChecker(Duration.ofSeconds(1), Duration.ofSeconds(2),
            Duration.ofSeconds(1));

    private final List<HistoryEvent> events = new ArrayList<>();
    private int holds;
    private double now = 100;

    // --- exclusion

    @Test
    void consecutiveHoldersAreAccepted() {
        hold("a", 0, 1, 10).heldUntil(4).releasedAt(4);
        hold("b", 2, 4.1, 11).heldUntil(5).releasedAt(5);
        assertFine();
    }

    @Test
    void overlappingHoldersAreDetected() {
        hold("a", 0, 1, 10).heldUntil(4).releasedAt(4);
        hold("b", 2, 3.9, 11).heldUntil(5).releasedAt(5);
        assertBroken(Rule.EXCLUSION);
    }

    @Test
    void holdsInsideALongerOneAreDetected() {
        hold("a", 0, 1, 10).heldUntil(9).releasedAt(9);
        hold("b", 0, 2, 11).heldUntil(3).releasedAt(3);
        hold("c", 4, 5, 12).heldUntil(6).releasedAt(6);
        assertThat(broken()).hasSize(2).containsOnly(Rule.EXCLUSION);
    }

    @Test
    void invalidHolderIsNoSecondHolder() {
        hold("a", 0, 1, 10).heldUntil(3.8).invalidAt(3.9).releasedAt(6);
        hold("b", 2, 4, 11).heldUntil(5).releasedAt(5);
        assertFine();
    }

    @Test
    void neverValidHolderIsNoSecondHolder() {
        hold("a", 3, 4, 10).releasedAt(6);
        hold("b", 3, 4, 11).heldUntil(5).releasedAt(5);
        assertFine();
    }

    @Test
    void holdsOfOtherLocksAreIgnored() {
        hold("a", 0, 1, 10).heldUntil(4).releasedAt(4);
        hold("b", "other", 2, 3, 11).heldUntil(5).releasedAt(5);
        assertFine();
    }

    @Test
    void formerHolderMayOverlapAfterForcedRelease() {
        hold("a", 0, 1, 10).heldUntil(4).releasedAt(4);
        events.add(HistoryEvent.forced("lock", at(2), at(2.1)));
        hold("b", 1, 2.2, 11).heldUntil(5).releasedAt(5);
        assertFine();
    }

    @Test
    void laterHoldersMayNotOverlapAfterForcedRelease() {
        events.add(HistoryEvent.forced("lock", at(2), at(2.1)));
        hold("a", 2.2, 2.3, 10).heldUntil(4).releasedAt(4);
        hold("b", 2.2, 3, 11).heldUntil(5).releasedAt(5);
        assertBroken(Rule.EXCLUSION);
    }

    /** It may have been granted, but nobody was certain of it. */
    @Test
    void uncertainRequestIsNoHolder() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(5), at(LEASE)));
        events.add(HistoryEvent.uncertain("a", "lock", holds, at(1)));
        hold("b", 1, 1.5, 11).heldUntil(2).releasedAt(2);
        assertFine();
    }

    @Test
    void takenLockMayLastUntilItsLeaseEnds() {
        hold("a", 0, 1, 10).heldUntil(2.1 + LEASE - 0.1).releasedAt(6);
        events.add(HistoryEvent.taken("lock", at(2), at(2.1)));
        assertFine();
    }

    @Test
    void validityBeyondTakenLeaseIsDetected() {
        hold("a", 0, 1, 10).heldUntil(2.1 + LEASE + 0.1).releasedAt(6);
        events.add(HistoryEvent.taken("lock", at(2), at(2.1)));
        assertBroken(Rule.VALIDITY);
    }

    @Test
    void takeBeforeTheGrantIsIgnored() {
        hold("a", 1, 2.05, 10).heldUntil(8).releasedAt(8);
        events.add(HistoryEvent.taken("lock", at(2), at(2.1)));
        assertFine();
    }

    @Test
    void holdMaySurviveForcedRelease() {
        hold("a", 0, 1, 10).heldUntil(8).releasedAt(8);
        events.add(HistoryEvent.forced("lock", at(2), at(2.1)));
        assertFine();
    }

    // --- fencing

    @Test
    void repeatedTokenIsDetected() {
        hold("a", 0, 1, 10).heldUntil(2).releasedAt(2);
        hold("b", 1.5, 2, 10).heldUntil(3).releasedAt(3);
        assertBroken(Rule.FENCING);
    }

    @Test
    void smallerTokenOfLaterHolderIsDetected() {
        hold("a", 0, 1, 10).heldUntil(2).releasedAt(2);
        hold("b", 0, 2.1, 9).heldUntil(3).releasedAt(3);
        assertBroken(Rule.FENCING);
    }

    @Test
    void smallerTokenOfUnverifiedHolderIsDetected() {
        hold("a", 0, 1, 10);
        hold("b", 1.1, 2, 9).releasedAt(2);
        now = 2;
        assertBroken(Rule.FENCING);
    }

    /** It was granted first and handed out late. */
    @Test
    void smallerTokenOfEarlierRequestIsAccepted() {
        hold("a", 0, 1, 10).heldUntil(2).releasedAt(2);
        hold("b", 0.5, 2.1, 9).invalidAt(2.2).releasedAt(2.3);
        assertFine();
    }

    @Test
    void tokensOfOtherLocksAreIgnored() {
        hold("a", 0, 1, 10).heldUntil(2).releasedAt(2);
        hold("b", "other", 2, 3, 10).heldUntil(4).releasedAt(4);
        assertFine();
    }

    // --- validity

    @Test
    void validityAfterReleaseIsDetected() {
        hold("a", 0, 1, 10).releasedAt(2).heldUntil(2.5);
        assertBroken(Rule.VALIDITY);
    }

    @Test
    void validityDuringReleaseIsAccepted() {
        Hold hold = hold("a", 0, 1, 10).heldUntil(2.5);
        events.add(HistoryEvent.released("a", "lock", hold.id, at(2.4), at(2.6), true));
        assertFine();
    }

    @Test
    void regainedValidityIsDetected() {
        hold("a", 0, 1, 10).invalidAt(2).heldUntil(2.5).releasedAt(3);
        assertBroken(Rule.VALIDITY);
    }

    @Test
    void validityAfterLossIsDetected() {
        hold("a", 0, 1, 10).heldUntil(2.5).lostAt(2).releasedAt(3);
        assertBroken(Rule.VALIDITY);
    }

    @Test
    void secondLossIsDetected() {
        hold("a", 0, 1, 10).heldUntil(2).lostAt(2.1).lostAt(2.2).releasedAt(3);
        assertBroken(Rule.VALIDITY);
    }

    @Test
    void singleLossIsAccepted() {
        hold("a", 0, 1, 10).heldUntil(2).lostAt(2.1).invalidAt(2.2).releasedAt(3);
        assertFine();
    }

    // --- arrival

    @Test
    void expiredGrantIsDetected() {
        events.add(HistoryEvent.granted("a", "lock", at(1), at(1), 0));
        assertBroken(Rule.ARRIVAL);
    }

    @Test
    void nearlyExpiredGrantIsDetected() {
        events.add(HistoryEvent.granted("a", "lock", at(1), at(1.01), at(0.03)));
        assertBroken(Rule.ARRIVAL);
    }

    @Test
    void expiredGrantAfterPauseIsDetected() {
        events.add(HistoryEvent.paused("a", at(0), at(4)));
        events.add(HistoryEvent.granted("a", "lock", at(4), at(4.01), 0));
        assertBroken(Rule.ARRIVAL);
    }

    /** The pause came between the decision and the check. */
    @Test
    void grantExpiredDuringCheckIsAccepted() {
        events.add(HistoryEvent.paused("a", at(1), at(4)));
        events.add(HistoryEvent.granted("a", "lock", at(1), at(4), 0));
        assertFine();
    }

    @Test
    void timelyGrantIsAccepted() {
        events.add(HistoryEvent.granted("a", "lock", at(1), at(1), at(0.1)));
        assertFine();
    }

    // --- answers

    @Test
    void lateAnswerIsDetected() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.refused("a", "lock", holds, at(2.1)));
        events.add(HistoryEvent.fault(at(0), at(2)));
        assertBroken(Rule.ANSWER);
    }

    @Test
    void timelyAnswerIsAccepted() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.refused("a", "lock", holds, at(1.9)));
        assertFine();
    }

    @Test
    void lateAnswerAfterPauseIsAccepted() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.paused("a", at(0.5), at(3)));
        events.add(HistoryEvent.paused("b", at(3), at(30)));
        events.add(HistoryEvent.refused("a", "lock", holds, at(3.5)));
        events.add(HistoryEvent.fault(at(0.5), at(3)));
        assertFine();
    }

    @Test
    void lateAnswerAfterMachineStallIsAccepted() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.refused("a", "lock", holds, at(3.9)));
        events.add(HistoryEvent.fault(at(0), at(4)));
        events.add(HistoryEvent.stalled(at(-5), at(-1)));
        assertBroken(Rule.ANSWER);
        events.add(HistoryEvent.stalled(at(-1), at(2)));
        events.add(HistoryEvent.stalled(at(-1), at(2)));
        assertFine();
        events.set(1, HistoryEvent.refused("a", "lock", holds, at(4.1)));
        assertBroken(Rule.ANSWER);
    }

    @Test
    void missingAnswerIsDetected() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.fault(at(0), at(100)));
        assertBroken(Rule.ANSWER);
    }

    @Test
    void pendingAnswerIsAccepted() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(99), at(100), at(LEASE)));
        assertFine();
    }

    @Test
    void missingAnswerOfKilledJvmIsAccepted() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.killed("a", at(0.5)));
        assertFine();
    }

    // --- progress

    @Test
    void idleLockWithWaiterIsDetected() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 0.5, 3.5, 11).heldUntil(4).releasedAt(4);
        assertBroken(Rule.PROGRESS);
    }

    @Test
    void idleLockWithSuccessiveWaitersIsDetected() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        for (int i = 0; i < 10; i++) {
            events.add(HistoryEvent.invoked("b", "lock", ++holds, at(1 + 0.5 * i), at(1.4 + 0.5 * i), at(LEASE)));
            events.add(HistoryEvent.refused("b", "lock", holds, at(1.4 + 0.5 * i)));
        }
        assertBroken(Rule.PROGRESS);
    }

    @Test
    void idleLockWithoutWaitersIsAccepted() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 8, 9, 11).heldUntil(10).releasedAt(10);
        assertFine();
    }

    @Test
    void idleLockDuringFaultIsAccepted() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 0.5, 9, 11).heldUntil(10).releasedAt(10);
        events.add(HistoryEvent.fault(at(2.5), at(6.5)));
        assertFine();
    }

    @Test
    void idleLockIsAcceptedOnlyDuringPause() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 0.5, 6, 11).heldUntil(10).releasedAt(10);
        events.add(HistoryEvent.paused("c", at(2.5), at(4.5)));
        assertFine();
        hold("b", 8, 13, 12).heldUntil(14).releasedAt(14);
        events.add(HistoryEvent.paused("c", at(11), at(11.5)));
        assertFine();
        events.remove(events.size() - 1);
        assertBroken(Rule.PROGRESS);
    }

    @Test
    void idleLockDuringMachineStallIsAccepted() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 0.5, 9, 11).heldUntil(10).releasedAt(10);
        events.add(HistoryEvent.stalled(at(2.5), at(5)));
        assertBroken(Rule.PROGRESS);
        events.add(HistoryEvent.stalled(at(5), at(6.5)));
        assertFine();
    }

    @Test
    void idleLockLongAfterFaultIsDetected() {
        hold("a", 0, 0, 10).heldUntil(1).releasedAt(1);
        hold("b", 0.5, 9, 11).heldUntil(10).releasedAt(10);
        events.add(HistoryEvent.fault(at(2.5), at(5)));
        assertBroken(Rule.PROGRESS);
    }

    @Test
    void failedReleaseMayKeepLockForALease() {
        Hold hold = hold("a", 0, 0, 10).heldUntil(1);
        events.add(HistoryEvent.released("a", "lock", hold.id, at(1), at(1), false));
        hold("b", 0.5, 1 + LEASE + 1, 11).heldUntil(9).releasedAt(9);
        assertFine();
    }

    @Test
    void killedHolderMayKeepLockForALease() {
        hold("a", 0, 0, 10).heldUntil(1);
        events.add(HistoryEvent.killed("a", at(1)));
        hold("b", 0.5, 1 + LEASE + 1, 11).heldUntil(9).releasedAt(9);
        assertFine();
    }

    @Test
    void killedHolderBeyondItsLeaseIsDetected() {
        hold("a", 0, 0, 10).heldUntil(1);
        events.add(HistoryEvent.killed("a", at(1)));
        hold("b", 0.5, 1 + LEASE + 3, 11).heldUntil(9).releasedAt(9);
        assertBroken(Rule.PROGRESS);
    }

    @Test
    void uncertainRequestMayKeepLockForALease() {
        events.add(HistoryEvent.invoked("a", "lock", ++holds, at(0), at(1), at(LEASE)));
        events.add(HistoryEvent.uncertain("a", "lock", holds, at(1)));
        hold("b", 0, 1 + LEASE + 1, 11).heldUntil(9).releasedAt(9);
        assertFine();
    }

    // --- serialization

    @Test
    void eventLineRoundTrips() {
        HistoryEvent event = HistoryEvent.valid("jvm 1", "näme|with {all} %\n", 7, -5, Long.MAX_VALUE);
        assertThat(event.toLine()).doesNotContain("\n");
        assertThat(HistoryEvent.parse(event.toLine())).isEqualTo(event);
    }

    private final class Hold {
        private final String process;
        private final String name;
        private final long id = ++holds;

        Hold(String process, String name) {
            this.process = process;
            this.name = name;
        }

        Hold heldUntil(double time) {
            events.add(HistoryEvent.valid(process, name, id, at(time), at(time)));
            return this;
        }

        Hold invalidAt(double time) {
            events.add(HistoryEvent.invalid(process, name, id, at(time), at(time)));
            return this;
        }

        Hold lostAt(double time) {
            events.add(HistoryEvent.lost(process, name, id, at(time)));
            return this;
        }

        Hold releasedAt(double time) {
            events.add(HistoryEvent.released(process, name, id, at(time), at(time), true));
            return this;
        }
    }

    private Hold hold(String process, double asked, double acquired, long token) {
        return hold(process, "lock", asked, acquired, token);
    }

    private Hold hold(String process, String name, double asked, double acquired, long token) {
        var hold = new Hold(process, name);
        events.add(HistoryEvent.invoked(process, name, hold.id, at(asked), at(asked + 10), at(LEASE)));
        events.add(HistoryEvent.acquired(process, name, hold.id, at(acquired), token));
        return hold;
    }

    private static long at(double seconds) {
        return (long) (seconds * 1_000_000_000L);
    }

    private List<Rule> broken() {
        return CHECKER.check(events, at(now)).stream().map(Violation::rule).toList();
    }

    private void assertFine() {
        assertThat(CHECKER.check(events, at(now))).isEmpty();
    }

    private void assertBroken(Rule rule) {
        assertThat(broken()).contains(rule).containsOnly(rule);
    }
}
