package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Await;

/** What a handle says of itself is true, without asking anybody. */
public abstract class ValidityContract extends ContractTest {

    @Test
    @Rule(2)
    void isValidForTheLeaseLessTheMarginAtMost() {
        Jvm a = jvm();
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(10)).acquire()) {
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
        }
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(100)).acquire()) {
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(98));
        }
    }

    @Test
    @Rule(2)
    void endsWithTheReleaseForGood() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        hold.close();
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.validFor()).isZero();
        try (LockHandle next = a.lock(name()).acquire()) {
            assertThat(hold.isValid()).isFalse();
            assertHeld(next);
        }
    }

    @Test
    @Rule({ 1, 2 })
    void fault01_aHolderThatStopsRenewingKnowsBeforeTheNextOneHasIt() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        for (int i = 0; i < Scale.times(3); i++) {
            LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
            var next = start(() -> {
                LockHandle taken = b.lock(name()).acquire();
                return new Taken(taken, System.nanoTime(), hold.isValid());
            });
            Taken taken = get(next);
            assertThat(taken.otherStillValid).as("the first hold says it is valid while the second one has it").isFalse();
            assertThat(hold.isValid()).isFalse();
            assertThat(taken.hold.fencingToken()).isGreaterThan(hold.fencingToken());
            hold.close();
            assertHeld(taken.hold);
            taken.hold.close();
        }
    }

    private record Taken(LockHandle hold, long at, boolean otherStillValid) {
    }

    @Test
    @Rule({ 2, 5 })
    @Needs(Ability.CUT)
    void fault16_aPartitionedHolderKnowsBeforeTheNextOneHasIt() throws Exception {
        Jvm b = jvm();
        for (int i = 0; i < Scale.times(3); i++) {
            Link.Linked linked = environment().linked("partitioned");
            Jvm a = jvmOver(linked.backend());
            LockHandle hold = a.lock(name(), SHORT_LEASE).acquire();
            var lostAt = new AtomicLong();
            hold.onLost(() -> lostAt.compareAndSet(0, System.nanoTime()));
            var next = start(() -> {
                LockHandle taken = b.lock(name(), Duration.ofSeconds(30)).acquire(); // waits for long
                return new Taken(taken, System.nanoTime(), hold.isValid());
            });
            awaitWaiters(b, name(), 1);
            linked.link().cut();
            Taken taken = get(next);
            assertThat(taken.otherStillValid).isFalse();
            Await.until("onLost has run", SOON, () -> lostAt.get() != 0);
            // It is told on a thread of its own, so it may be told a moment after it is so
            assertThat(lostAt.get() - taken.at).isLessThan(Duration.ofMillis(100).toNanos());
            linked.link().heal();
            Await.during("lost stays lost", Duration.ofMillis(200), () -> !hold.isValid());
            hold.close();
            assertHeld(taken.hold);
            taken.hold.close();
        }
    }

    @Test
    @Rule(2)
    @Needs(Ability.CUT)
    void survivesAPartitionThatIsShorterThanTheLease() {
        Link.Linked linked = environment().linked("partitioned");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name(), Duration.ofSeconds(6)).acquire()) {
            linked.link().cut();
            Await.during("valid without an answer", Duration.ofSeconds(3), hold::isValid);
            linked.link().heal();
            Await.until("renewed", Duration.ofSeconds(4), () -> hold.validFor().compareTo(Duration.ofMillis(4500)) > 0);
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(2)
    void isExtendedOnRequest() {
        Jvm a = jvm();
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(5)).acquire()) {
            hold.extend(Duration.ofSeconds(60));
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(58));
            assertThat(a.locks().inspect(name()).orElseThrow().holders().get(0).remaining())
                    .isGreaterThan(Duration.ofSeconds(50));
            hold.extendAsync(Duration.ofSeconds(90)).await().atMost(SOON);
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(80));
        }
    }
}
