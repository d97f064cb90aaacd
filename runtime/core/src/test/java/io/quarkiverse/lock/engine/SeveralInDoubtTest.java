package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.smallrye.mutiny.subscription.Cancellable;

/** A machine that is suspended while it waits for the second of two names cannot tell whether it still has the first. */
class SeveralInDoubtTest extends PushingTest {

    private final List<Boolean> valid = new ArrayList<>();
    private final List<Throwable> failed = new ArrayList<>();

    @Test
    void fault142_callerRunsOnlyOnceFirstGrantIsConfirmed() {
        suspendedBeforeTheSecond(Duration.ofSeconds(10));
        assertThat(granted).as("before the first is confirmed").isEmpty();
        backend.confirm();
        assertThat(valid).containsExactly(true);
        granted.forEach(LockHandle::close);
    }

    @Test
    void fault142_acquisitionRestartsIfFirstGrantIsGone() {
        suspendedBeforeTheSecond(Duration.ofSeconds(10));
        backend.deny();
        assertThat(granted).isEmpty();
        backend.answer.run();
        backend.answer.run();
        assertThat(valid).containsExactly(true);
        assertThat(failed).isEmpty();
        granted.forEach(LockHandle::close);
    }

    @Test
    void fault142_unknownStateOfFirstGrantFailsTheCall() {
        suspendedBeforeTheSecond(Duration.ZERO);
        backend.ignore();
        assertThat(granted).isEmpty();
        assertThat(failed).singleElement().isInstanceOf(LockBackendException.class);
        assertThat(engine.held()).isEmpty();
    }

    @Test
    void fault142_cancellationDuringConfirmationReleasesBoth() {
        Cancellable asked = suspendedBeforeTheSecond(Duration.ofSeconds(10));
        asked.cancel();
        backend.confirm();
        assertThat(granted).isEmpty();
        assertThat(engine.held()).isEmpty();
        assertThat(backend.released).isEqualTo(2);
    }

    @Test
    void fault142_waitingThreadGetsBothAfterSuspension() throws Exception {
        LocalStore store = new LocalStore(time);
        LockManager here = over(store);
        LockManager elsewhere = over(store);
        LockHandle second = elsewhere.lock("b").acquire();
        var taken = CompletableFuture.supplyAsync(() -> {
            try (LockHandle both = here.all("a", "b").acquire()) {
                return both.isValid();
            }
        }, task -> new Thread(task).start());
        while (elsewhere.inspect("b").orElseThrow().waiters() == 0) {
            Thread.onSpinWait();
        }
        time.shiftWallClock(Duration.ofMinutes(10));
        second.close();
        assertThat(taken.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private LockManager over(LocalStore store) {
        return LockEngine.builder(new LocalBackend(store)).time(time).threads(CallerThreads.plain(Runnable::run)).start()
                .manager(ManagerDefaults.STANDARD);
    }

    /** Runs until the second is granted and confirmed. */
    private Cancellable suspendedBeforeTheSecond(Duration wait) {
        backend.slow = true;
        Cancellable asked = locks.all("a", "b").tryAcquireAsync(wait).subscribe().with(this::granted, failed::add);
        backend.answer.run();
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.answer.run();
        backend.confirm();
        return asked;
    }

    private void granted(Optional<LockHandle> hold) {
        granted.add(hold.orElseThrow());
        valid.add(hold.get().isValid());
    }
}
