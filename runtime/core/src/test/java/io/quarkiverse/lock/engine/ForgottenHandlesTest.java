package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

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

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault124_theCleanerReleasesNothingByItself() {
        new ForgottenHandles(time, engine.handOver()).watch(this, hold).run(); // like the Cleaner's thread
        assertThat(hold.live()).as("a release is not made on the thread that cleans up for the whole JVM").isTrue();
        time.advance(Duration.ZERO);
        assertThat(engine.held()).isEmpty();
    }
}
