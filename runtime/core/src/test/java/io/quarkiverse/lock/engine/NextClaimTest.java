package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** When a JVM that releases a lock claims it again for its next waiter. */
class NextClaimTest extends PushingTest {

    @BeforeEach
    void slow() {
        backend.slowRelease = true;
    }

    @Override
    @AfterEach
    void close() {
        backend.slowRelease = false;
        backend.releaseAnswer.complete(null); // otherwise the engine waits for it in vain
        super.close();
    }

    @Test
    void nextClaimWaitsForReleaseAnswerWhenOthersWait() {
        askTwice();
        releaseWhileOthersWait();
        assertThat(backend.asked).isEqualTo(1);
        backend.releaseAnswer.complete(null);
        assertThat(backend.asked).isEqualTo(2);
        assertThat(granted).hasSize(2);
    }

    @Test
    void nextClaimIsMadeEvenIfTheReleaseFails() {
        askTwice();
        releaseWhileOthersWait();
        backend.releaseAnswer.completeExceptionally(new IllegalStateException("cannot be reached"));
        assertThat(backend.asked).isEqualTo(2);
        assertThat(granted).hasSize(2);
    }

    @Test
    void nextClaimIsMadeAtOnceWhenBackendIsInDoubt() {
        askTwice();
        backend.listener.suspect(backend.last);
        releaseWhileOthersWait();
        assertThat(backend.asked).as("the answer to the release may take long").isEqualTo(2);
    }

    @Test
    void waiterFailsWhenBackendRejectsNextClaim() {
        locks.lock("a").acquireAsync().subscribe().with(granted::add);
        var second = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        releaseWhileOthersWait();
        backend.refuses = new IllegalStateException("closed");
        backend.releaseAnswer.complete(null);
        backend.refuses = null;
        second.assertFailedWith(LockBackendException.class);
    }

    /** For example, if it cannot create a thread. */
    @Test
    void fault195_nameIsUsableAfterBackendThrowsAnError() {
        locks.lock("a").acquireAsync().subscribe().with(granted::add);
        var second = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        releaseWhileOthersWait();
        backend.lacks = new InternalError("unable to create native thread: on purpose");
        backend.releaseAnswer.complete(null);
        second.assertFailedWith(LockBackendException.class);
        backend.lacks = null;
        locks.lock("a").acquireAsync().subscribe().with(granted::add);
        assertThat(granted).as("the first, and the one after the error").hasSize(2);
    }

    @Test
    void nextClaimIsNotMadeOnceWaiterCancels() {
        Cancellable second = askTwice();
        releaseWhileOthersWait();
        second.cancel();
        backend.releaseAnswer.complete(null);
        assertThat(backend.asked).isEqualTo(1);
    }

    @Test
    void nextClaimIsMadeAtOnceWithoutOtherWaiters() {
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

    /** At the end of this JVM's slice. */
    private void releaseWhileOthersWait() {
        backend.listener.waiters(backend.last, true);
        time.advance(Duration.ofMillis(5));
        granted.get(0).release().subscribe().asCompletionStage();
    }
}
