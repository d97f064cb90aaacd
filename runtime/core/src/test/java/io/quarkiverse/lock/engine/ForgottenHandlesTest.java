package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.handle.ForgottenHandles;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** What the engine does about a handle that nobody references any more. */
class ForgottenHandlesTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockHold hold = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
    private final AnsweringBackend backend = new AnsweringBackend();
    private final ToldTraces traces = new ToldTraces();
    private final LockEngine remote = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .tracing(traces).start();

    @AfterEach
    void close() {
        remote.close();
        engine.close();
    }

    @Test
    void fault124_cleanerThreadReleasesNothingItself() {
        new ForgottenHandles(time, engine.handOver()).watch(this, hold).run(); // like the Cleaner's thread
        assertThat(hold.live()).as("the JVM's Cleaner thread must not make a release").isTrue();
        time.advance(Duration.ZERO);
        assertThat(engine.held()).isEmpty();
    }

    /** Its grant is released at the store, and its trace ends. */
    @Test
    void fault472_forgottenLostLockIsReleasedToo() {
        LockHold lost = lost();
        try (var logged = new LoggedRecords(ForgottenHandles.class)) {
            new ForgottenHandles(time, remote.handOver()).watch(this, lost).run();
            time.advance(Duration.ZERO);
            assertThat(logged.warnings()).as("it holds nothing").isEmpty();
        }
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
        assertThat(traces.told).endsWith("a ended, lost");
    }

    @Test
    void fault472_lastUserEndsTheLostLock() {
        LockHold lost = lost(hold -> assertThat(hold.enter()).isTrue());
        new ForgottenHandles(time, remote.handOver()).watch(this, lost).run();
        time.advance(Duration.ZERO);
        assertThat(traces.told).doesNotContain("a ended, lost");
        remote.handOver().leave(lost);
        assertThat(traces.told).endsWith("a ended, lost");
    }

    private LockHold lost() {
        return lost(hold -> {
        });
    }

    private LockHold lost(Consumer<LockHold> before) {
        backend.whenAsked = backend::grant;
        LockHold lost = remote.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        before.accept(lost);
        backend.listener.lost(backend.granted.get(0), "a test says so");
        assertThat(lost.markedLost()).isTrue();
        return lost;
    }
}
