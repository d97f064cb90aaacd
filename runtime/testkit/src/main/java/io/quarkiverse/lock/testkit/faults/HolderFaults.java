package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.Jvm;
import io.quarkiverse.lock.testkit.contract.Needs;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.process.ChildFailure;

/** A JVM that holds locks is paused, killed, terminated or cloned, waits for itself, or uses ever new names. */
public abstract class HolderFaults extends FaultSuite {

    private static final Duration LEASE = Duration.ofSeconds(2);
    /** For a wait in another JVM that must end as busy: the first answers are slow on a busy machine. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(6);
    /** An engine keeps the queues of a thousand names, since many are reused, and a backend may keep something, too. */
    private static final int MORE_THAN_ARE_KEPT = 2_000;

    @Test
    @Fault(1)
    @Needs(Ability.CHILD_JVMS)
    void fault01_pausedHolderKnowsOfLossBeforeFirstUse() throws Exception {
        RemoteJvm paused = remoteJvm("paused");
        Jvm b = jvm();
        var store = new FencedStore();
        long token = paused.acquire(name(), LEASE);
        assertThat(store.write(token, "first")).isTrue();
        paused.child().pause();
        try (LockHandle next = b.lock(name()).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(token);
            assertThat(store.write(next.fencingToken(), "second")).isTrue();
            var write = paused.write(name());
            paused.child().resume();
            RemoteJvm.Write late = get(write);
            assertThat(late.valid()).as("validity at its first use").isFalse();
            paused.child().awaitEvent("lost " + name(), SOON);
            assertThat(store.write(late.token(), "late")).as("the fence lets a late write through").isFalse();
            assertThat(store.fenced()).isEqualTo("second");
            assertThat(store.unfenced()).as("the damage that the fence prevents").isEqualTo("late");
            assertThatThrownBy(() -> paused.extend(name(), LEASE)).isInstanceOf(ChildFailure.class)
                    .hasMessageContaining("LockLostException");
            paused.release(name());
            next.extend(Duration.ofSeconds(30));
            assertHeld(next);
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Fault(2)
    @Needs(Ability.CHILD_JVMS)
    void fault02_killedHolderKeepsLockOnlyForItsLease() {
        RemoteJvm holder = remoteJvm("killed");
        Jvm b = jvm();
        Duration lease = Duration.ofSeconds(3);
        holder.acquire(name(), lease);
        long killed = System.nanoTime();
        holder.child().kill();
        DistributedLock patient = b.locks().lock(name(), LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(30)));
        try (LockHandle next = patient.acquire()) {
            Duration took = Duration.ofNanos(System.nanoTime() - killed);
            assertHeld(next);
            assertThat(took).isBetween(environment().earliestTakeover(lease), environment().latestTakeover(lease));
        }
    }

    @Test
    @Fault(3)
    @Needs(Ability.CHILD_JVMS)
    void fault03_terminatedJvmReleasesLocksAndFailsWaiters() {
        RemoteJvm holder = remoteJvm("ending");
        Jvm b = jvm();
        String other = name() + "-other";
        holder.acquire(name(), Duration.ofSeconds(30));
        try (LockHandle elsewhere = b.lock(other).acquire()) {
            CompletableFuture<Long> waiting = holder.acquireLater(other, LEASE, Duration.ofSeconds(60));
            awaitWaiters(b, other, 1);
            holder.child().terminate();
            holder.child().awaitEvent("closed", SOON);
            assertBecomesFree(b, name(), SOON);
            assertThat(waiting).failsWithin(SOON);
            holder.child().awaitEvent("the waiter learns why", event -> event.text().startsWith("refused")
                    && event.text().contains(other) && event.text().contains("shutting down"), SOON);
            holder.child().awaitExit(SOON);
            Await.until("its waiter is gone", SOON, () -> b.locks().inspect(other).orElseThrow().waiters() == 0);
            assertHeld(elsewhere);
        }
    }

    @Test
    @Fault(65)
    @Needs(Ability.CHILD_JVMS)
    void fault65_clonedJvmsExcludeEachOther() throws Exception {
        RemoteJvm one = remoteJvm("clone");
        RemoteJvm two = remoteJvm("clone");
        long token = one.acquire(name(), Duration.ofSeconds(30));
        assertThatThrownBy(() -> get(two.acquireLater(name(), LEASE, FIRST_ANSWER)))
                .isInstanceOf(ChildFailure.class).hasMessageContaining("LockBusyException");
        var waiting = two.acquireLater(name(), Duration.ofSeconds(30), Duration.ofSeconds(20));
        awaitWaiters(jvm(), name(), 1);
        one.release(name());
        assertThat(get(waiting)).isGreaterThan(token);
        one.acquireLater(name(), LEASE, Duration.ZERO).handle((granted, busy) -> busy != null).thenAccept(
                busy -> assertThat(busy).isTrue()).get(15, TimeUnit.SECONDS);
        two.release(name());
    }

    @Test
    @Fault(62)
    @Needs(Ability.CHILD_JVMS)
    void fault62_oppositeLockOrdersEndByTimeout() {
        RemoteJvm one = remoteJvm("one");
        RemoteJvm two = remoteJvm("two");
        String a = name() + "-a";
        String b = name() + "-b";
        one.acquire(a, Duration.ofSeconds(30));
        two.acquire(b, Duration.ofSeconds(30));
        var first = one.acquireLater(b, LEASE, FIRST_ANSWER);
        var second = two.acquireLater(a, LEASE, FIRST_ANSWER);
        assertThatThrownBy(() -> get(first)).hasMessageContaining("LockBusyException").hasMessageContaining("two");
        assertThatThrownBy(() -> get(second)).hasMessageContaining("LockBusyException").hasMessageContaining("one");
        one.release(a);
        two.release(b);
        Jvm witness = jvm();
        assertBecomesFree(witness, a, SOON);
        assertBecomesFree(witness, b, SOON);
    }

    /**
     * No class keeps an object per used name, not even a string: neither for as many names as the fault list demands, nor for
     * names used in one of the six ways.
     */
    @Test
    @Fault(297)
    @Needs(Ability.CHILD_JVMS)
    void fault297_releasedNamesAreForgotten() {
        RemoteJvm user = remoteJvm("user");
        int names = Scale.times(10_000, MORE_THAN_ARE_KEPT);
        user.useMany(name() + "-first-", MORE_THAN_ARE_KEPT); // fills the caches, which grow no further
        user.countObjects();
        user.useMany(name() + "-second-", names);
        assertThat(user.held()).isZero();
        int forEach = MORE_THAN_ARE_KEPT * 3 / 4; // some of the names may have been known already
        // Gives periodic clean-up timers the time to run
        Await.until(() -> "nothing has grown with " + names + " names, but " + user.grown(forEach), SOON,
                () -> user.grown(forEach).equals("{}"));
    }

    @Test
    @Fault(62)
    void fault62_selfDeadlockIsReported() {
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThatThrownBy(() -> a.locks().lock(name(), LockOptions.DEFAULTS.withWaitFor(Duration.ofMillis(100)))
                    .acquire()).isInstanceOf(LockBusyException.class).hasMessageContaining(name())
                    .hasMessageContaining("this same thread");
            assertHeld(hold);
        }
        assertBecomesFree(a, name(), SOON);
    }
}
