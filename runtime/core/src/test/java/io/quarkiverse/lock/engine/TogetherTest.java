package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockEvent;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Several names claimed in one step, with a backend that answers on demand. */
class TogetherTest {

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .listener(this::heard).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    private Runnable whenRequested = () -> {
    };

    {
        backend.together = true;
    }

    private void heard(LockEvent event) {
        if (event.kind() == LockEvent.Kind.REQUESTED) {
            whenRequested.run();
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void severalNamesAreClaimedInOneStep() {
        var waiting = subscribe(locks.all("b", "a").acquireAsync());
        assertThat(backend.askedTogether).singleElement()
                .satisfies(claims -> assertThat(claims).extracting(Claim::name).containsExactly("a", "b"));
        waiting.assertNotTerminated();
        backend.grantTogether();
        LockHandle both = waiting.getItem();
        assertThat(both.isValid()).isTrue();
        assertThat(both.fencingToken("b")).isGreaterThan(both.fencingToken("a"));
        assertThat(backend.asked).as("one by one").isEmpty();
        both.close();
        assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted);
        assertThat(locks.held()).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(time.timers()).isZero();
    }

    @Test
    void busyNameFallsBackToSingleClaims() {
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        backend.refuseTogether();
        assertThat(backend.asked).extracting(Claim::name).containsExactly("a");
        backend.grant();
        assertThat(backend.asked).extracting(Claim::name).containsExactly("a", "b");
        backend.grant();
        waiting.getItem().close();
        assertThat(backend.released).hasSize(2);
    }

    @Test
    void fault107_suspensionFallsBackToSingleClaims() {
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        time.shiftWallClock(Duration.ofMinutes(10));
        backend.grantTogether();
        assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted);
        backend.grant();
        backend.grant();
        assertThat(waiting.getItem().isValid()).isTrue();
        waiting.getItem().close();
    }

    @Test
    void fault300_acquisitionAfterDrainIsRejected() {
        backend.whenChoosing = () -> engine.drain(Duration.ZERO);
        var late = subscribe(locks.all("a", "b").acquireAsync());
        late.assertFailedWith(IllegalStateException.class, "shutting down");
        assertThat(backend.askedTogether).isEmpty();
        assertThat(backend.asked).isEmpty();
    }

    @Test
    void fault300_grantAfterDrainIsReleased() {
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        whenRequested = () -> engine.drain(Duration.ZERO);
        backend.grantTogether();
        waiting.assertFailedWith(IllegalStateException.class, "shutting down");
        assertThat(locks.held()).isEmpty();
        assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted);
    }

    @Test
    void fault300_grantWithoutWaitAfterDrainIsReleased() {
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withWaitFor(Duration.ZERO);
        var trying = subscribe(locks.lock("a", shared).acquireAsync());
        assertThat(engine.drain(Duration.ZERO)).isTrue();
        backend.grant();
        trying.assertFailedWith(IllegalStateException.class, "shutting down");
        assertThat(locks.held()).isEmpty();
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
    }

    @Test
    void missingAnswerFallsBackToSingleClaims() {
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        backend.failTogether(new LockBackendException("a", "on purpose", null));
        backend.grant();
        backend.grant();
        waiting.getItem().close();

        var impatient = subscribe(locks.all(LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(1)), "a", "b").acquireAsync());
        time.advance(Duration.ofSeconds(2));
        assertThat(backend.cancelledTogether).as("the deadline covers the whole acquisition").isEqualTo(1);
        impatient.assertFailedWith(LockBackendException.class, "'a'");
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void jointGrantAfterCancellationIsReleased() {
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        waiting.cancel();
        assertThat(backend.cancelledTogether).isEqualTo(1);
        backend.grantTogether();
        assertThat(backend.released).containsExactlyElementsOf(backend.granted).hasSize(2);
        assertThat(locks.held()).isEmpty();
        subscribe(locks.lock("a").acquireAsync());
        assertThat(backend.asked).as("no earlier claim blocks it here").hasSize(1);
        backend.grant();
    }

    @Test
    void heldNamesAreNotClaimedAgain() {
        var done = subscribe(locks.lock("b").callAsync(() -> locks.all("a", "b", "c").callAsync(() -> {
            assertThat(locks.held()).hasSize(3);
            return Uni.createFrom().item("done");
        })));
        backend.grant();
        assertThat(backend.askedTogether).singleElement()
                .satisfies(claims -> assertThat(claims).extracting(Claim::name).containsExactly("a", "c"));
        backend.grantTogether();
        assertThat(done.getItem()).isEqualTo("done");
        assertThat(backend.released).hasSize(3);

        var inside = subscribe(locks.lock("b").callAsync(() -> locks.all("a", "b").acquireAsync()));
        backend.grant();
        assertThat(backend.askedTogether).as("a single name is claimed as usual").hasSize(1);
        inside.assertNotTerminated();
        backend.grant();
        inside.getItem().close();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void waiterForOneNameHasItsOwnClaim() {
        var both = subscribe(locks.all("a", "b").acquireAsync());
        var one = subscribe(locks.lock("a").acquireAsync());
        assertThat(backend.asked).extracting(Claim::name).containsExactly("a");
        var others = subscribe(locks.all("a", "b").acquireAsync());
        assertThat(backend.askedTogether).as("they wait in the queue").hasSize(1);
        backend.grantTogether();
        both.getItem().close();
        one.assertNotTerminated();
        assertThat(backend.released).as("the backend must answer its own claim").hasSize(2);
        backend.grant(0);
        one.getItem().close();
        assertThat(locks.held()).as("handed over as usual").hasSize(1);
        backend.grant(1);
        others.getItem().close();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void interruptedThreadWithdrawsTheJointClaim() {
        Thread waiting = Thread.currentThread();
        Thread other = new Thread(() -> {
            while (time.parkedThreads() == 0) {
                Thread.onSpinWait();
            }
            waiting.interrupt();
        });
        other.start();
        assertThatThrownBy(() -> locks.all("a", "b").acquire()).isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(backend.cancelledTogether).isEqualTo(1);
        assertThat(backend.asked).isEmpty();
    }

    @Test
    void alreadyInterruptedThreadMakesNoClaim() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> locks.all("a", "b").acquire()).isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(backend.cancelledTogether).isZero();
        assertThat(backend.asked).isEmpty();
    }

    @Test
    void threadWaitsForTheJointAnswer() throws Exception {
        Thread server = new Thread(() -> {
            while (time.parkedThreads() == 0) {
                Thread.onSpinWait();
            }
            backend.grantTogether();
        });
        server.start();
        LockHandle both = locks.all("a", "b").acquire();
        assertThat(both.isValid()).isTrue();
        both.close();
        server.join();
        assertThat(backend.released).hasSize(2);
        assertThat(backend.asked).isEmpty();
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }
}
