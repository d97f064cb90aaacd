package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** Renewal and release affect only their own grant, however often and however late they arrive. */
public abstract class TokenContract extends ContractTest {

    @Test
    @Rule(3)
    void releaseIsIdempotentFromAnyThread() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        List<CompletableFuture<Void>> releases = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            releases.add(start(() -> {
                hold.release().await().atMost(SOON);
                hold.close();
                return null;
            }));
        }
        for (var release : releases) {
            get(release);
        }
        try (LockHandle next = b.lock(name()).acquire()) {
            hold.close();
            hold.release().await().atMost(SOON);
            assertHeld(next);
            assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(3)
    @Fault(9)
    void fault09_releaseAfterLossSparesNextHolder() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        assertThat(b.locks().forceRelease(name())).isTrue();
        try (LockHandle next = b.lock(name()).acquire()) {
            hold.close();
            hold.release().await().atMost(SOON);
            next.extend(Duration.ofSeconds(30));
            assertHeld(next);
            assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(3)
    @Fault(65)
    void fault65_jvmsWithSameOwnerExcludeEachOther() {
        Jvm a = jvm("clone", builder -> {
        });
        Jvm b = jvm("clone", builder -> {
        });
        LockHandle hold = a.lock(name()).acquire();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        hold.close();
        b.lock(name()).tryAcquire(Duration.ZERO).orElseThrow().close();
    }

    @Test
    @Rule(3)
    @Needs(Ability.NETWORK)
    @Fault(6)
    void fault06_releaseIsSafelyRetriedAfterLostReply() throws Exception {
        Link.Linked linked = environment().linked("unlucky");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        a.lock(name()).acquire().close(); // so that the lost reply does not belong to a first use
        for (int i = 0; i < times(3); i++) {
            LockHandle hold = a.lock(name()).acquire();
            linked.link().loseReplyTo(name());
            var releasing = start(() -> {
                hold.close();
                return null;
            });
            try (LockHandle next = b.lock(name()).acquire()) {
                get(releasing);
                // The first attempt to release has failed by now; the next one follows within a second
                Await.during("the next holder keeps it", Duration.ofSeconds(1), next::isValid);
                next.extend(Duration.ofSeconds(30));
                assertHeld(next);
            }
            assertThat(a.count(Kind.LOST)).as("losses, as the first attempt released the lock").isZero();
            linked.link().heal();
        }
    }

    @Test
    @Rule(3)
    @Needs(Ability.NETWORK)
    @Fault(7)
    void fault07_grantWithLostReplyIsRecoveredOrUndone() {
        Link.Linked linked = environment().linked("unlucky");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        a.lock(name()).acquire().close();
        for (int i = 0; i < times(3); i++) {
            linked.link().loseReplyTo(name());
            Optional<LockHandle> hold;
            try {
                hold = a.lock(name()).tryAcquire(SOON);
                assertThat(hold).as("nobody else has it").isPresent();
            } catch (LockBackendException e) {
                hold = Optional.empty();
            }
            if (hold.isPresent()) {
                assertHeld(hold.get());
                assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
                hold.get().close();
            }
            linked.link().heal();
            assertBecomesFree(b, name(), SOON);
        }
    }

    @Test
    @Rule(3)
    @Needs(Ability.NETWORK)
    @Fault(8)
    void fault08_lateGrantIsUndone() {
        Link.Linked linked = environment().linked("slow");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        a.lock(name()).acquire().close();
        linked.link().delayRequests(Duration.ofMillis(1500));
        try {
            assertThat(a.lock(name()).tryAcquire(Duration.ofMillis(200))).isEmpty();
        } catch (LockBackendException e) {
            // Correct too: nobody knows whether the name is busy
        }
        // A request in flight arrives 1.5 s after it was sent, and so does the one that undoes it
        Await.during("this JVM holds nothing", Duration.ofSeconds(3), () -> a.locks().held().isEmpty());
        linked.link().heal();
        assertBecomesFree(b, name(), SOON);
    }
}
