package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.history.Cause;
import io.quarkiverse.lock.testkit.history.HistoryEvent;

/** Finds requests that waited in vain without an excuse. */
class LongWaitsTest {

    private static final long SECOND = 1_000_000_000;
    private static final Duration ENOUGH = Duration.ofSeconds(10);
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final long UNTIL = 100 * SECOND;

    private final List<HistoryEvent> events = new ArrayList<>();
    private final List<LabNemesis.Done> done = new ArrayList<>();

    private void waits(String process, long hold, long from, long to) {
        events.add(HistoryEvent.invoked(process, "hot", hold, from * SECOND, to * SECOND, LEASE.toNanos()));
    }

    private void waitsInVain(Cause cause) {
        waits("a", 1, 10, 20);
        events.add(HistoryEvent.refused("a", "hot", 1, 20 * SECOND, cause));
    }

    private void holds(String process, String name, long from, long to) {
        events.add(HistoryEvent.acquired(process, name, 9, from * SECOND, 1));
        events.add(HistoryEvent.released(process, name, 9, to * SECOND, to * SECOND, true));
    }

    private void trouble(String process, long from, long to) {
        done.add(new LabNemesis.Done(CommonDeeds.KILL, from * SECOND, to * SECOND, true, process));
    }

    private LongWaits found() {
        return LongWaits.of(events, done, ENOUGH, LEASE, UNTIL);
    }

    private void assertInVain() {
        assertThat(found().inVain()).singleElement().asString().contains("process=a", "name=hot");
        assertThat(found().excused()).isZero();
    }

    private void assertExcused() {
        assertThat(found()).isEqualTo(new LongWaits(0, 1, List.of()));
    }

    @Test
    void grantedWaitIsCounted() {
        waits("a", 1, 10, 20);
        events.add(HistoryEvent.acquired("a", "hot", 1, 19 * SECOND, 1));
        assertThat(found()).isEqualTo(new LongWaits(1, 0, List.of()));
    }

    @Test
    void waitThatStaysBusyIsInVain() {
        waitsInVain(Cause.BUSY);
        assertInVain();
    }

    @Test
    void waitWithUnreachableServersIsInVain() {
        waitsInVain(Cause.BACKEND);
        assertInVain();
    }

    @Test
    void abandonedWaitIsNotCounted() {
        waitsInVain(Cause.GIVEN_UP);
        assertThat(found()).isEqualTo(LongWaits.NONE);
    }

    @Test
    void shorterWaitIsNotCounted() {
        waits("a", 1, 10, 19);
        events.add(HistoryEvent.refused("a", "hot", 1, 19 * SECOND));
        assertThat(found()).isEqualTo(LongWaits.NONE);
    }

    @Test
    void waitDuringMachineStallIsNotCounted() {
        waitsInVain(Cause.BUSY);
        events.add(HistoryEvent.stalled(5 * SECOND, 10 * SECOND));
        assertInVain();
        events.add(HistoryEvent.stalled(9 * SECOND, 11 * SECOND));
        assertThat(found()).isEqualTo(LongWaits.NONE);
    }

    @Test
    void waitBeyondTheObservationIsNotCounted() {
        waits("a", 1, 95, 105);
        events.add(HistoryEvent.refused("a", "hot", 1, 96 * SECOND));
        assertThat(found()).isEqualTo(LongWaits.NONE);
    }

    @Test
    void jvmFailureExcusesItsWait() {
        waitsInVain(Cause.BACKEND);
        trouble("a", 19, 21);
        assertExcused();
    }

    @Test
    void jvmFailureOutsideTheWaitIsNoExcuse() {
        waitsInVain(Cause.BACKEND);
        trouble("a", 8, 9);
        trouble("a", 21, 22);
        assertInVain();
    }

    @Test
    void failureOfNonHolderIsNoExcuse() {
        waitsInVain(Cause.BUSY);
        holds("b", "cold", 5, 30);
        holds("b", "hot", 2, 3);
        trouble("b", 12, 13);
        assertInVain();
    }

    @Test
    void failureOfHolderExcusesTheWait() {
        waitsInVain(Cause.BUSY);
        holds("b", "hot", 5, 30);
        trouble("b", 7, 8);
        assertExcused();
    }

    @Test
    void failureOfFormerHolderIsNoExcuse() {
        waitsInVain(Cause.BUSY);
        holds("b", "hot", 2, 4);
        trouble("b", 3, 5);
        assertInVain();
    }

    @Test
    void harmlessDeedIsNoExcuse() {
        waitsInVain(Cause.BUSY);
        done.add(new LabNemesis.Done("two servers", 10 * SECOND, 20 * SECOND, false, "a"));
        assertInVain();
    }

    @Test
    void deliberateLongHoldExcusesTheWait() {
        waitsInVain(Cause.BUSY);
        holds("b", "hot", 11, 17);
        done.add(new LabNemesis.Done(CommonDeeds.HELD_FOR_LONG, 10 * SECOND, 12 * SECOND, false, "b"));
        assertExcused();
    }
}
