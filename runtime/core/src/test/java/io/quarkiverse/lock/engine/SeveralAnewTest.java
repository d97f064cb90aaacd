package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;

/**
 * One of several names is lost while the last is being granted, all on one thread: the call restarts before its first attempt
 * has returned. A cancellation withdraws the restarted attempt.
 */
class SeveralAnewTest {

    private final VirtualTime time = new VirtualTime();
    private Runnable whenTheLastIsGranted = () -> {
    };

    @Test
    void restartedWaitCanBeCancelled() {
        LocalStore store = new LocalStore(time);
        LockManager elsewhere = engine(new LocalBackend(store, "elsewhere")).manager(ManagerDefaults.STANDARD);
        LockManager locks = engine(new LocalBackend(store, "here")).manager(ManagerDefaults.STANDARD);
        LockHandle[] taken = new LockHandle[1];
        whenTheLastIsGranted = () -> {
            elsewhere.forceRelease("a");
            taken[0] = elsewhere.lock("a").acquire();
        };
        var waiting = locks.all("a", "b").acquireAsync().subscribe().with(handle -> {
        });
        assertThat(elsewhere.inspect("a").orElseThrow().waiters()).isEqualTo(1);
        waiting.cancel();
        assertThat(elsewhere.inspect("a").orElseThrow().waiters()).as("it no longer waits").isZero();
        taken[0].close();
        assertThat(locks.held()).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(time.timers()).isZero();
    }

    @Test
    void restartedJointClaimCanBeCancelled() {
        AnsweringBackend backend = new AnsweringBackend();
        backend.together = true;
        backend.whenAskedTogether = backend::grantTogether;
        LockManager locks = engine(backend).manager(ManagerDefaults.STANDARD);
        whenTheLastIsGranted = () -> {
            backend.whenAskedTogether = () -> {
            };
            backend.listener.lost(backend.granted.get(0), "on purpose");
        };
        var waiting = locks.all("a", "b").acquireAsync().subscribe().with(handle -> {
        });
        assertThat(backend.askedTogether).as("once more").hasSize(2);
        int timers = time.timers();
        waiting.cancel();
        assertThat(backend.cancelledTogether).isEqualTo(1);
        assertThat(time.timers()).as("its deadline is cancelled").isEqualTo(timers - 1);
        assertThat(locks.held()).isEmpty();
    }

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).listener(this::onEvent)
                .start();
    }

    private void onEvent(LockEvent event) {
        if (event.kind() == Kind.GRANTED && event.name().equals("b")) {
            Runnable once = whenTheLastIsGranted;
            whenTheLastIsGranted = () -> {
            };
            once.run();
        }
    }
}
