package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** For each rule about registers, a history that breaks it and a similar one that does not. */
class RegisterRulesTest {

    private static final HistoryEvent ASKED = HistoryEvent.invoked("a", "lock", 1, 10, 100, 50);
    private static final HistoryEvent GRANTED = HistoryEvent.acquired("a", "lock", 1, 20, 7);
    private static final HistoryEvent VALID = HistoryEvent.valid("a", "lock", 1, 40, 41);
    private static final HistoryEvent RELEASED = HistoryEvent.released("a", "lock", 1, 42, 43, true);

    @Test
    void writesInOrderAreAllowed() {
        assertThat(broken(written(5, 1, 1), written(5, 2, 2), written(6, 3, 3))).isEmpty();
    }

    @Test
    void laterWriteWithSmallerTokenIsAViolation() {
        assertThat(broken(written(6, 1, 1), written(5, 2, 2))).containsExactly(Rule.REGISTER);
    }

    @Test
    void lostUpdateIsAViolation() {
        assertThat(broken(written(5, 1, 1), written(6, 2, 1))).containsExactly(Rule.REGISTER);
    }

    @Test
    void registersOfOtherLocksDoNotMatter() {
        assertThat(broken(written(6, 1, 1), HistoryEvent.written("other", 5, 2, 1))).isEmpty();
    }

    @Test
    void rejectedHolderIsAViolation() {
        assertThat(broken(ASKED, GRANTED, VALID, RELEASED, HistoryEvent.rejected("lock", 7, 25, 26)))
                .containsExactly(Rule.REGISTER);
    }

    @Test
    void rejectionNearTheEndOfTheHoldIsAllowed() {
        assertThat(broken(ASKED, GRANTED, VALID, RELEASED, HistoryEvent.rejected("lock", 7, 39, 42))).isEmpty();
    }

    private static HistoryEvent written(long token, long at, long value) {
        return HistoryEvent.written("lock", token, at, value);
    }

    private static List<Rule> broken(HistoryEvent... events) {
        return HistoryChecker.STANDARD.check(List.of(events), 60).stream().map(Violation::rule).toList();
    }
}
