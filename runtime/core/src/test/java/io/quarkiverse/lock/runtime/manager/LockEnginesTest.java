package io.quarkiverse.lock.runtime.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.Spin;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

class LockEnginesTest {

    @Test
    void fault477_drainTimeoutMayBeCenturies() throws Exception {
        var time = new VirtualTime();
        var engines = new LockEngines();
        try (LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time).start()) {
            add(engines, engine);
            LockHandle hold = engine.manager(ManagerDefaults.STANDARD).lock("a").acquire();
            var draining = new Thread(() -> engines.drain(Duration.ofDays(365_000)), "drains");
            draining.start();
            Spin.until("it waits", () -> draining.getState() == Thread.State.TIMED_WAITING || !draining.isAlive());
            assertThat(draining.isAlive()).as("it waits for the holder").isTrue();
            hold.close();
            draining.join(60_000);
            assertThat(draining.isAlive()).as("still waiting").isFalse();
        }
    }

    /** As {@code start}, which needs an application. */
    @SuppressWarnings("unchecked")
    private static void add(LockEngines engines, LockEngine engine) throws ReflectiveOperationException {
        var byBackend = LockEngines.class.getDeclaredField("byBackend");
        byBackend.setAccessible(true);
        ((Map<String, LockEngine>) byBackend.get(engines)).put("local", engine);
    }
}
