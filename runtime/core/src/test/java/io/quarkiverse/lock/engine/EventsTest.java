package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;

/** The events that a listener gets for each lock. */
class EventsTest {

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .listener(events::add).start();
    private final LockManager locks = engine.manager(new ManagerDefaults("reports", Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL));

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void eventsNameBackendAndManager() {
        locks.lock("a").acquire().close();

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.GRANTED, Kind.RELEASED);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.backend()).isEqualTo("local");
            assertThat(event.manager()).isEqualTo("reports");
        });
    }

    @Test
    void failedWaitIsReportedToListener() {
        engine.drain(Duration.ZERO);

        assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.lock("b").acquireAsync().await().indefinitely())
                .isInstanceOf(IllegalStateException.class);

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.FAILED, Kind.REQUESTED,
                Kind.FAILED);
        assertThat(events.get(1).reason()).isNotBlank();
    }
}
