package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A hold that the caller already has, such as that of its transaction. */
class KnownHoldTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new PushingBackend()).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final BlockingAcquire acquire = engine.acquire();
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void knownHoldIsJoined() {
        LockHold known = acquire.take("a", settings, null);
        assertThat(acquire.take("a", settings, known)).isSameAs(known);
    }

    @Test
    void expiredHoldIsNotJoined() {
        LockHold known = acquire.take("a", settings, null);
        time.pause(Duration.ofHours(1));
        assertThat(acquire.take("a", settings, known)).isNotSameAs(known).satisfies(hold -> assertThat(hold.live()).isTrue());
        assertThat(known.live()).isFalse();
    }

    @Test
    void fault181_pipelineDoesNotJoinExpiredHold() {
        LockHold known = acquire.take("a", settings, null);
        time.pause(Duration.ofHours(1));
        var ran = engine.pipelines().locked(new String[] { "a" }, settings, new LockHold[] { known },
                (held, pipeline) -> Uni.createFrom().item(held.get(0))).await().indefinitely();
        assertThat(ran).isNotSameAs(known);
        assertThat(known.live()).isFalse();
    }

    @Test
    void fault181_nestedPipelineReacquiresExpiredHold() {
        HoldSettings notified = new HoldSettings(settings.manager(), null, settings.waitNanos(), settings.leaseNanos(), true,
                settings.maxHoldNanos(), OnLost.NOTIFY, 0, settings.mode(), settings.limit());
        String[] a = { "a" };
        var inside = engine.pipelines().locked(a, notified, null, (outer, pipeline) -> {
            time.pause(Duration.ofHours(1));
            return engine.pipelines().locked(a, notified, null,
                    (inner, nested) -> Uni.createFrom().item(inner != outer && inner.get(0).live()));
        });
        assertThat(inside.await().indefinitely()).isTrue();
    }

    @Test
    void fault181_nestedBodyDoesNotRunAfterOuterLoss() {
        String[] a = { "a" };
        AtomicBoolean ran = new AtomicBoolean();
        engine.pipelines().locked(a, settings, null, (outer, pipeline) -> {
            time.pause(Duration.ofHours(1));
            return engine.pipelines().locked(a, settings, null,
                    (inner, nested) -> Uni.createFrom().item(() -> ran.compareAndSet(false, true)));
        }).subscribe().withSubscriber(UniAssertSubscriber.create()).assertFailedWith(LockLostException.class);
        assertThat(ran).isFalse();
        assertThat(engine.held()).isEmpty();
    }
}
