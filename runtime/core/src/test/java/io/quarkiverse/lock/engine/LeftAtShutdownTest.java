package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** A shutdown that does not wait warns of the locks that it leaves behind, and says what would help. */
class LeftAtShutdownTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "one")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private List<String> warnings;

    @Test
    void heldLocksAreNamedAtShutdown() {
        LockHandle held = engine.manager(ManagerDefaults.STANDARD).lock("order-7").acquire();
        closeEngine();
        assertThat(warnings).singleElement().asString().contains("[order-7]", "when their leases end",
                "A longer quarkus.shutdown.timeout", "onReleaseRequested", "@PreDestroy come after the timeout");
        Reference.reachabilityFence(held); // keeps the handle reachable until here
    }

    @Test
    void noWarningIfNothingIsHeld() {
        engine.manager(ManagerDefaults.STANDARD).lock("order-7").acquire().close();
        closeEngine();
        assertThat(warnings).isEmpty();
    }

    private void closeEngine() {
        try (var logged = new LoggedRecords(Shutdown.class)) {
            engine.close();
            warnings = logged.warnings();
        }
    }
}
