package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** When a JVM that gives a lock back asks for it again. */
class NextClaimTest {

    private final VirtualTime time = new VirtualTime();
    private final PushingBackend backend = new PushingBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final List<LockHandle> granted = new ArrayList<>();

    @BeforeEach
    void slow() {
        backend.slowRelease = true;
    }

    @AfterEach
    void close() {
        backend.slowRelease = false;
        engine.close();
    }

    @Test
    void whenOthersWaitItIsBehindTheAnswerToTheRelease() {
        askTwice();
        othersWait();
        granted.get(0).release().subscribe().asCompletionStage();
        assertThat(backend.asked).isEqualTo(1);
        backend.releaseAnswer.complete(null);
        assertThat(backend.asked).isEqualTo(2);
        assertThat(granted).hasSize(2);
    }

    @Test
    void whenTheReleaseFailsItIsMadeNevertheless() {
        askTwice();
        othersWait();
        granted.get(0).release().subscribe().asCompletionStage();
        backend.releaseAnswer.completeExceptionally(new IllegalStateException("cannot be reached"));
        assertThat(backend.asked).isEqualTo(2);
        assertThat(granted).hasSize(2);
    }

    @Test
    void whenTheBackendIsInDoubtItIsMadeAtOnce() {
        askTwice();
        othersWait();
        backend.listener.suspect(backend.last);
        granted.get(0).release().subscribe().asCompletionStage();
        assertThat(backend.asked).as("the answer to the release may take long").isEqualTo(2);
    }

    @Test
    void whenTheBackendDoesNotEvenTakeItTheWaitFails() {
        locks.lock("a").acquireAsync().subscribe().with(granted::add);
        var second = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        othersWait();
        granted.get(0).release().subscribe().asCompletionStage();
        backend.refuses = new IllegalStateException("closed");
        backend.releaseAnswer.complete(null);
        backend.refuses = null;
        second.assertFailedWith(LockBackendException.class);
    }

    @Test
    void whenNobodyWaitsAnyMoreItIsNotMade() {
        Cancellable second = askTwice();
        othersWait();
        granted.get(0).release().subscribe().asCompletionStage();
        second.cancel();
        backend.releaseAnswer.complete(null);
        assertThat(backend.asked).isEqualTo(1);
    }

    @Test
    void whenNobodyElseIsKnownToWaitItIsMadeAtOnce() {
        askTwice();
        time.advance(Duration.ofSeconds(1));
        granted.get(0).release().subscribe().asCompletionStage();
        assertThat(backend.asked).isEqualTo(2);
    }

    private Cancellable askTwice() {
        locks.lock("a").acquireAsync().subscribe().with(granted::add);
        return locks.lock("a").acquireAsync().subscribe().with(granted::add, closed -> {
        });
    }

    /** And this JVM's slice is over. */
    private void othersWait() {
        backend.listener.waiters(backend.last, true);
        time.advance(Duration.ofMillis(5));
    }
}
