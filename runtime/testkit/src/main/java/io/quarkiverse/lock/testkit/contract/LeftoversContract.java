package io.quarkiverse.lock.testkit.contract;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** A caller that stops waiting, for whatever reason, leaves nothing behind. */
public abstract class LeftoversContract extends ContractTest {

    private static final int LANES = 8;

    @Test
    @Rule(9)
    void timedOutWaiterLeavesNothingBehind() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        for (int i = 0; i < times(10, 4); i++) {
            assertKeptOut(b.lock(name()), Duration.ofMillis(i % 4 * 5));
        }
        awaitWaiters(a, name(), 0);
        hold.close();
        assertNothingLeft(a, b);
    }

    @Test
    @Rule(9)
    @Fault(10)
    void fault10_interruptedWaiterLeavesNothingBehind() throws Exception {
        interruptAtRandom(jvm());
    }

    @Test
    @Rule(9)
    @Needs(Ability.NETWORK)
    @Fault(11)
    void fault11_interruptDuringRequestLeavesNothingBehind() throws Exception {
        Link.Linked linked = environment().linked("slow");
        linked.link().delayRequests(Duration.ofMillis(20));
        interruptAtRandom(jvmOver(linked.backend()));
    }

    private void interruptAtRandom(Jvm b) throws Exception {
        Jvm a = jvm();
        int each = times(2_000, 64) / LANES;
        inLanes(LANES, lane -> {
            var random = new Random(42 + lane);
            for (int i = 0; i < each; i++) {
                interruptOne(a, b, name() + lane, random, i % 2 == 0);
            }
        });
        assertNothingLeft(a, b);
        for (int lane = 0; lane < LANES; lane++) {
            assertBecomesFree(a, name() + lane, SOON);
        }
        interruptAndLook(a, b);
    }

    /** The waiter leaves the queue itself, and at once: nobody has to discover that it is gone. */
    private void interruptAndLook(Jvm a, Jvm b) throws Exception {
        try (LockHandle hold = a.lock(name()).acquire()) {
            var thread = new CompletableFuture<Thread>();
            var outcome = start(() -> {
                thread.complete(Thread.currentThread());
                return b.lock(name()).acquire();
            });
            awaitWaiters(a, name(), 1);
            thread.join().interrupt();
            assertThatThrownBy(() -> get(outcome)).isInstanceOf(LockInterruptedException.class);
            Await.until("it is out of the queue", Duration.ofSeconds(3),
                    () -> environment().waiters(a, name()) == 0);
            assertHeld(hold);
        }
    }

    private void interruptOne(Jvm a, Jvm b, String name, Random random, boolean busy) throws Exception {
        LockHandle hold = busy ? a.lock(name).acquire() : null;
        var thread = new CompletableFuture<Thread>();
        var outcome = start(() -> {
            thread.complete(Thread.currentThread());
            try {
                b.lock(name).acquire().close();
                return "granted";
            } catch (LockInterruptedException e) {
                return Thread.interrupted() ? "interrupted" : "interrupted without the flag";
            } finally {
                Thread.interrupted();
            }
        });
        Thread waiter = thread.get();
        LockSupport.parkNanos(random.nextInt(50_000_000));
        waiter.interrupt();
        if (hold != null) {
            if (random.nextBoolean()) {
                assertThat(get(outcome)).isEqualTo("interrupted");
            }
            hold.close();
        }
        assertThat(get(outcome)).isIn("granted", "interrupted");
    }

    @Test
    @Rule(9)
    void cancelledWaiterLeavesNothingBehind() {
        Jvm a = jvm();
        Jvm b = jvm();
        var random = new Random(42);
        for (int i = 0; i < times(60, 20); i++) {
            LockHandle hold = a.lock(name()).acquire();
            var cancellable = b.lock(name()).acquireAsync().subscribe().with(LockHandle::close, failure -> {
            });
            LockSupport.parkNanos(random.nextInt(3_000_000));
            if (i % 2 == 0) {
                cancellable.cancel();
                hold.close();
            } else {
                var releasing = start(() -> {
                    hold.close();
                    return null;
                });
                cancellable.cancel();
                releasing.join();
            }
        }
        assertNothingLeft(a, b);
    }

    @Test
    @Rule(9)
    void closedJvmLeavesNoWaiter() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var waiting = start(() -> b.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        b.close();
        awaitWaiters(a, name(), 0);
        assertThat(waiting).failsWithin(SOON);
        hold.close();
        assertNothingLeft(a);
    }

    @Test
    @Rule(9)
    @Fault(64)
    void fault64_droppedHandleIsReleased() {
        Jvm a = jvm();
        Jvm b = jvm();
        acquireAndDrop(a);
        assertDroppedIsReleased(a, b);
    }

    @Test
    @Rule(9)
    @Fault(64)
    void fault64_droppedHandleWithListenersIsReleased() {
        Jvm a = jvm();
        Jvm b = jvm();
        acquireToBeToldAndDrop(a);
        assertDroppedIsReleased(a, b);
    }

    @Test
    @Rule(9)
    @Fault(64)
    void fault64_droppedAsyncHandleIsReleased() {
        Jvm a = jvm();
        Jvm b = jvm();
        acquireAsyncAndDrop(a);
        assertDroppedIsReleased(a, b);
    }

    private void assertDroppedIsReleased(Jvm a, Jvm b) {
        Await.until("the dropped handle's lock is free", SOON, () -> {
            System.gc();
            var hold = b.lock(name()).tryAcquire(Duration.ZERO);
            hold.ifPresent(LockHandle::close);
            return hold.isPresent();
        });
        assertNothingLeft(a, b);
    }

    private void acquireToBeToldAndDrop(Jvm jvm) {
        LockHandle hold = jvm.lock(name()).acquire();
        hold.onLost(() -> {
        });
        hold.onReleaseRequested(() -> {
        });
    }

    private void acquireAsyncAndDrop(Jvm jvm) {
        assertThat(jvm.lock(name()).acquireAsync().await().atMost(SOON).isValid()).isTrue();
    }

    private void acquireAndDrop(Jvm jvm) {
        assertThat(jvm.lock(name()).acquire().isValid()).isTrue();
    }

    @Test
    @Rule(9)
    @Needs(Ability.CUT)
    @Fault(5)
    void fault05_waitOverBrokenLinkLeavesNothingBehind() {
        Link.Linked linked = environment().linked("partitioned");
        Jvm b = jvmOver(linked.backend());
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        linked.link().cut();
        try {
            assertThat(b.lock(name()).tryAcquire(Duration.ofMillis(200))).isEmpty();
        } catch (LockBackendException expected) {
            assertThat(expected.getMessage()).isNotBlank();
        }
        linked.link().heal();
        hold.close();
        assertNothingLeft(a, b);
    }

    private void assertNothingLeft(Jvm... jvms) {
        List<String> held = new ArrayList<>();
        for (Jvm jvm : jvms) {
            Await.until("this JVM holds nothing", SOON, () -> jvm.locks().held().isEmpty());
        }
        Await.until(() -> "nothing is left, but " + environment().leftovers() + held, Duration.ofSeconds(8),
                () -> environment().leftovers().isEmpty());
        assertBecomesFree(jvms[0], name(), Duration.ofSeconds(8));
    }
}
