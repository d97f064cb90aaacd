package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;

class StallsTest {

    private final AtomicLong clock = new AtomicLong(100);
    private final List<HistoryEvent> history = new CopyOnWriteArrayList<>();

    @Test
    void stallIsReportedOnce() {
        try (Stalls stalls = new Stalls(history::add, clock::get)) {
            clock.addAndGet(Duration.ofMillis(251).toNanos());
            Await.until("it is told", Duration.ofSeconds(10), () -> stalls.now().isEmpty());
        }
        assertThat(history).containsExactly(HistoryEvent.stalled(100, 100 + Duration.ofMillis(251).toNanos()));
    }

    @Test
    void unreportedStallIsKnown() {
        var stalls = new Stalls(history::add, clock::get);
        stalls.close();
        assertThat(stalls.now()).isEmpty();
        clock.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(stalls.now()).contains(HistoryEvent.stalled(100, 100 + Duration.ofSeconds(3).toNanos()));
    }

    @Test
    void timeLostInStallsIsAddedUp() {
        try (Stalls stalls = new Stalls(history::add, clock::get)) {
            clock.addAndGet(Duration.ofSeconds(3).toNanos());
            Await.until("it is told", Duration.ofSeconds(10), () -> stalls.now().isEmpty());
            assertThat(stalls.since(100)).isEqualTo(Duration.ofSeconds(3));
            assertThat(stalls.since(100 + Duration.ofSeconds(1).toNanos())).isEqualTo(Duration.ofSeconds(2));
            assertThat(stalls.since(clock.get())).isZero();
            stalls.close();
            long from = clock.getAndAdd(Duration.ofSeconds(5).toNanos());
            assertThat(stalls.since(100)).as("including one not reported yet").isEqualTo(Duration.ofSeconds(8));
            assertThat(stalls.since(from)).isEqualTo(Duration.ofSeconds(5));
        }
    }

    @Test
    void shortStallIsNotReported() {
        var looks = new AtomicInteger();
        try (Stalls stalls = new Stalls(history::add, () -> {
            looks.incrementAndGet();
            return clock.get();
        })) {
            clock.addAndGet(Duration.ofMillis(250).toNanos());
            assertThat(stalls.now()).isEmpty();
            int before = looks.get();
            Await.until("it has looked", Duration.ofSeconds(10), () -> looks.get() >= before + 2);
        }
        assertThat(history).isEmpty();
    }
}
