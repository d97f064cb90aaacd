package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.news.Recording;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Long waits and holds are recorded once each, waits by the thread that waited. */
class RecordingTest {

    private static final Duration SHORT = Duration.ofMillis(19);
    private static final Duration LONG = Duration.ofMillis(20);

    private final List<String> recorded = new CopyOnWriteArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .recording(new Written()).start();
    private final LockManager locks = engine.manager(new ManagerDefaults("reports", Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL));

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void longWaitsAndHoldsAreRecorded() {
        var caller = subscribe("a");
        time.advance(LONG);
        backend.grant();
        LockHandle handle = caller.assertCompleted().getItem();
        time.advance(LONG);
        handle.close();
        assertThat(recorded).containsExactly("a waited 20 ms, GRANTED, null, here", "a held 20 ms, here");
    }

    @Test
    void shortWaitsAndHoldsAreNotRecorded() {
        var caller = subscribe("a");
        time.advance(SHORT);
        backend.grant();
        LockHandle handle = caller.assertCompleted().getItem();
        time.advance(SHORT);
        handle.close();
        assertThat(recorded).isEmpty();
    }

    @Test
    void lossIsRecordedWithItsReason() {
        var caller = subscribe("a");
        backend.grant();
        backend.listener.lost(backend.granted.get(0), "evicted");
        caller.assertCompleted().getItem().close();
        assertThat(recorded).containsExactly("a lost after 0 ms, evicted");
    }

    @Test
    void busyOutcomeIsRecordedWithItsHolder() {
        var caller = locks.lock("a").tryAcquireAsync(LONG).subscribe().withSubscriber(UniAssertSubscriber.create());
        backend.claim().heldBy("somebody");
        time.advance(LONG);
        assertThat(caller.assertCompleted().getItem()).isEmpty();
        assertThat(recorded).containsExactly("a waited 20 ms, BUSY, somebody, here");
    }

    @Test
    void waitIsRecordedOnTheWaitingThread() throws Exception {
        Thread waiter = new Thread(() -> locks.lock("a").acquire().close(), "waiter");
        waiter.start();
        while (time.parkedThreads() == 0) {
            Thread.onSpinWait();
        }
        time.advance(LONG);
        backend.grant();
        waiter.join();
        assertThat(recorded).containsExactly("a waited 20 ms, GRANTED, null, waiter");
    }

    @Test
    void fault329_grantBeforeParkingIsRecordedOnCallerThread() {
        backend.whenAsked = () -> onAnotherThread(backend::grant);
        locks.lock("a").acquire().close();
        assertThat(recorded).containsExactly("a waited 20 ms, GRANTED, null, here");
    }

    @Test
    void fault329_severalGrantsBeforeParkingAreRecordedOnCallerThread() {
        backend.together = true;
        backend.whenAskedTogether = () -> onAnotherThread(backend::grantTogether);
        locks.all("a", "b").acquire().close();
        assertThat(recorded).containsExactlyInAnyOrder("a waited 20 ms, GRANTED, null, here",
                "b waited 20 ms, GRANTED, null, here");
    }

    private void onAnotherThread(Runnable answer) {
        Thread other = new Thread(() -> {
            time.advance(LONG);
            answer.run();
        }, "other");
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private UniAssertSubscriber<LockHandle> subscribe(String name) {
        return locks.lock(name).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private final class Written implements Recording {

        @Override
        public long thresholdNanos() {
            return LONG.toNanos();
        }

        @Override
        public void waited(Lock lock, Outcome outcome, String heldBy, long nanos) {
            recorded.add(lock.name() + " waited " + millis(nanos) + ", " + outcome + ", " + heldBy + ", " + here());
        }

        @Override
        public void held(Lock lock, long nanos) {
            recorded.add(lock.name() + " held " + millis(nanos) + ", " + here());
        }

        @Override
        public void lost(Lock lock, String why, long nanos) {
            recorded.add(lock.name() + " lost after " + millis(nanos) + ", " + why);
        }

        private static String millis(long nanos) {
            return nanos / 1_000_000 + " ms";
        }

        private static String here() {
            String thread = Thread.currentThread().getName();
            return thread.equals("waiter") || thread.equals("other") ? thread : "here";
        }
    }
}
