package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** A JVM that shuts down lets its holders finish and leaves the store clean. */
public abstract class ShutdownContract extends ContractTest {

    @Test
    @Rule(12)
    @Fault(3)
    void fault03_drainLetsHoldersFinishAndRejectsNewClaims() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        var finish = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var holding = start(() -> a.lock(name()).call(() -> {
            begun.countDown();
            return finish.await(30, TimeUnit.SECONDS);
        }));
        assertThat(begun.await(15, TimeUnit.SECONDS)).isTrue();
        var drained = start(() -> a.engine().drain(Duration.ofSeconds(20)));
        Await.until("new claims are refused", SOON, () -> refuses(a));
        assertThatThrownBy(() -> get(a.lock(name()).acquireAsync().subscribeAsCompletionStage()))
                .isInstanceOf(IllegalStateException.class);
        assertThat(drained).isNotDone();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        finish.countDown();
        assertThat(get(holding)).isTrue();
        assertThat(get(drained)).isTrue();
        a.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(12)
    @Fault(473)
    void fault473_drainAsksHoldersToRelease() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        hold.onReleaseRequested(hold::close);
        assertThat(a.engine().drain(SOON)).isTrue();
        assertThat(a.count(Kind.RELEASE_REQUESTED)).isEqualTo(1);
        assertThat(a.count(Kind.LOST)).isZero();
        assertBecomesFree(b, name(), SOON);
    }

    private boolean refuses(Jvm jvm) {
        try {
            jvm.lock(name() + "-new").acquire().close();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    @Rule(12)
    void waitersFailOnShutdown() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var blocking = start(() -> b.lock(name()).acquire());
        var async = b.lock(name()).acquireAsync().subscribeAsCompletionStage();
        awaitWaiters(a, name(), 1);
        b.close();
        assertThatThrownBy(() -> get(blocking)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> get(async)).isInstanceOf(IllegalStateException.class);
        assertHeld(hold);
        hold.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(12)
    void holdOutlivesShutdownOnlyForItsLease() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle held = a.lock(name(), Duration.ofSeconds(4)).acquire();
        assertThat(a.engine().drain(Duration.ofMillis(50))).isFalse();
        a.close();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        Reference.reachabilityFence(held); // otherwise it is a forgotten handle, which is released
    }

    @Test
    @Rule(12)
    void closeWaitsForPendingReleases() {
        Jvm a = jvm();
        Jvm b = jvm();
        for (int i = 0; i < 20; i++) {
            Uni<Void> ignored = a.lock(name() + i).acquire().release();
            assertThat(ignored).isNotNull();
        }
        a.close();
        for (int i = 0; i < 20; i++) {
            b.lock(name() + i).tryAcquire(Duration.ZERO).orElseThrow().close();
        }
    }

    @Test
    @Rule(12)
    void closingEngineTwiceIsHarmless() {
        Jvm a = jvm();
        a.lock(name()).acquire().close();
        a.close();
        a.close();
        assertThat(refuses(a)).isTrue();
    }
}
