package io.quarkiverse.lock.runtime.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import org.crac.Core;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.LoggedRecords;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A restored process knows neither how long it was frozen nor whether it is the only copy. */
class CheckpointedLocksTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final CheckpointedLocks checkpointed = new CheckpointedLocks(() -> List.of(engine));

    @AfterEach
    void close() {
        engine.close();
    }

    private void freeze() {
        checkpointed.beforeCheckpoint(Core.getGlobalContext());
        checkpointed.afterRestore(Core.getGlobalContext());
    }

    @Test
    void fault125_restoredHoldIsInvalidUntilConfirmed() {
        LockHandle hold = locks.lock("a").acquire();
        freeze();
        assertThat(hold.isValid()).isFalse();
        assertThat(locks.held()).as("not lost").hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(hold.isValid()).isTrue();
        hold.close();
    }

    /** Each copy believes it is the holder, and the store confirms this to all of them. */
    @Test
    void locksHeldAtACheckpointAreLogged() {
        try (var log = new LoggedRecords("io.quarkiverse.lock")) {
            freeze(); // logs nothing: nothing is held
            LockHandle hold = locks.lock("a").acquire();
            freeze();
            hold.close();
            assertThat(log.warnings()).singleElement().asString().startsWith("1 lock(s) are held at a checkpoint")
                    .endsWith("Held: [a]");
        }
    }

    /** The callers of the other engine would be held back forever. */
    @Test
    void fault500_failingEngineDoesNotPreventRestoreOfOthers() {
        LockEngine failing = engine(() -> {
            throw new IllegalStateException("on purpose");
        });
        LockEngine other = engine(() -> {
        });
        failing.manager(ManagerDefaults.STANDARD).lock("b").acquire().close();
        var both = new CheckpointedLocks(() -> List.of(failing, other));
        both.beforeCheckpoint(Core.getGlobalContext());
        var waiting = other.manager(ManagerDefaults.STANDARD).lock("a").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        waiting.assertNotTerminated();
        assertThatThrownBy(() -> both.afterRestore(Core.getGlobalContext())).hasMessage("on purpose");
        waiting.assertCompleted().getItem().close();
        failing.close();
        other.close();
    }

    /** An engine that has to wait for the answers of its store. */
    private LockEngine engine(Runnable afterRestore) {
        LocalBackend store = new LocalBackend(new LocalStore(time));
        var backend = (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, arguments) -> {
                    if (method.getName().equals("afterRestore")) {
                        afterRestore.run();
                    }
                    return method.invoke(store, arguments);
                });
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    }

    @Test
    void endedApplicationIgnoresCheckpoints() {
        LockHandle hold = locks.lock("a").acquire();
        checkpointed.run();
        freeze();
        assertThat(hold.isValid()).isTrue();
        hold.close();
    }
}
