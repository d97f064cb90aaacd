package io.quarkiverse.lock.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkus.runtime.ShutdownEvent;

/** The names that the Dev UI keeps busy. */
class OccupiedNamesTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @Test
    void fault377_occupiedNamesIgnoreManagerDefaults() throws Exception {
        VirtualTime time = new VirtualTime();
        try (LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time).start()) {
            Trouble trouble = new Trouble();
            LockManager unrenewed = engine.manager(defaults(false, null));
            LockManager brief = engine.manager(defaults(true, LEASE));
            assertThat(trouble.occupy(unrenewed, "a", TEN_MINUTES)).isTrue();
            assertThat(trouble.occupy(brief, "b", TEN_MINUTES)).isTrue();
            time.advance(TEN_MINUTES);
            assertThat(brief.held()).extracting(HeldLock::name).containsExactlyInAnyOrder("a", "b");
            trouble.end(new ShutdownEvent());
            assertThat(brief.held()).isEmpty();
        }
    }

    private static ManagerDefaults defaults(boolean renew, Duration maxHold) {
        return new ManagerDefaults("manager", Duration.ZERO, LEASE, renew, maxHold, OnLost.FAIL);
    }
}
