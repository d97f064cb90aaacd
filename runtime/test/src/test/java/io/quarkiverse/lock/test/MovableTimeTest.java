package io.quarkiverse.lock.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.LockTime.Timer;

class MovableTimeTest {

    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final MovableTime time = new MovableTime();

    @AfterEach
    void stop() {
        time.stop();
    }

    @Test
    void skippedTimersRunInOrderOnTheCaller() {
        List<String> run = new ArrayList<>(); // used by one thread only
        time.schedule(2 * HOUR, () -> run.add("two"));
        time.schedule(HOUR, () -> {
            run.add("one");
            time.schedule(HOUR / 2, () -> run.add("one and a half"));
        });
        Timer never = time.schedule(HOUR / 2, () -> run.add("cancelled"));
        time.schedule(4 * HOUR, () -> run.add("four"));
        never.cancel();
        long before = time.nanoTime();
        long wallBefore = time.wallMillis();
        time.advance(Duration.ofHours(3));
        assertThat(run).containsExactly("one", "one and a half", "two");
        assertThat(time.nanoTime() - before).isBetween(3 * HOUR, 4 * HOUR);
        assertThat(time.wallMillis() - wallBefore).as("wall clock, or the machine would seem to have been suspended").isBetween(
                Duration.ofHours(3).toMillis(), Duration.ofHours(4).toMillis());
    }

    @Test
    void timerSeesItsDueTime() {
        CompletableFuture<Long> seen = new CompletableFuture<>();
        long due = time.nanoTime() + HOUR;
        time.schedule(HOUR, () -> seen.complete(time.nanoTime()));
        time.advance(Duration.ofHours(10));
        assertThat(seen.join() - due).isBetween(0L, HOUR);
    }

    @Test
    void timersAlsoRunInRealTime() throws Exception {
        CompletableFuture<Thread> soon = new CompletableFuture<>();
        time.schedule(1_000_000, () -> soon.complete(Thread.currentThread()));
        assertThat(soon.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    }

    @Test
    void nearlyDueTimerStillFires() throws Exception {
        CompletableFuture<Thread> later = new CompletableFuture<>();
        time.schedule(HOUR, () -> later.complete(Thread.currentThread()));
        time.advance(Duration.ofHours(1).minusMillis(500));
        assertThat(later.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    }

    @Test
    void parkedThreadNoticesAdvance() throws Exception {
        long deadline = time.nanoTime() + HOUR;
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
            for (long left = HOUR; left > 0; left = deadline - time.nanoTime()) {
                time.park(this, left);
            }
        });
        time.advance(Duration.ofHours(1));
        waiting.get(10, TimeUnit.SECONDS);
    }
}
