package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.Jvm;
import io.quarkiverse.lock.testkit.contract.Link;
import io.quarkiverse.lock.testkit.contract.Needs;
import io.quarkiverse.lock.testkit.contract.Scale;

/** The link between a JVM and its store breaks, or is slow, at the worst of times. */
public abstract class LinkFaults extends FaultSuite {

    /** Long, so that nothing here becomes free by expiring. */
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration HEALED = Duration.ofSeconds(20);

    @Test
    @Fault(4)
    @Needs(Ability.CUT)
    void fault04_cutOffReleaseIsSuppressedByBodyFailure() {
        Link.Linked linked = environment().linked("cut off");
        Jvm a = jvmOver(linked.backend());
        var failure = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> a.lock(name(), LEASE).call(() -> {
            linked.link().cut();
            throw failure;
        })).isSameAs(failure);
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockBackendException.class);
        linked.link().heal();
        assertBecomesFree(jvm(), name(), HEALED);
    }

    @Test
    @Fault(5)
    @Needs(Ability.CUT)
    void fault05_cutOffReleaseKeepsResultAndIsRetried() throws Exception {
        Link.Linked linked = environment().linked("cut off");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        LockHandle hold = a.lock(name() + "-handle", LEASE).acquire();
        assertThat(a.lock(name(), LEASE).call(() -> {
            linked.link().cut();
            return "result";
        })).isEqualTo("result");
        hold.close();
        assertThat(hold.isValid()).isFalse();
        assertThat(a.locks().held()).isEmpty();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        linked.link().heal();
        assertBecomesFree(b, name(), HEALED);
        assertBecomesFree(b, name() + "-handle", HEALED);
        Await.until("the late releases are reported", SOON, () -> a.count(Kind.RELEASED_LATE) == 2);
    }

    @Test
    @Fault(9)
    @Needs({ Ability.NETWORK, Ability.STORE_LEASES })
    void fault09_lateReleaseSparesNextHolder() {
        Link.Linked linked = environment().linked("slow");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        a.lock(name()).acquire().close(); // so that no part of a first use is delayed as well
        LockHandle late = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        Duration delay = SHORT_LEASE.plusSeconds(5);
        linked.link().delayRequests(delay);
        long sent = System.nanoTime();
        var releasing = late.release().subscribeAsCompletionStage();
        try (LockHandle next = b.lock(name(), LEASE).acquire()) {
            assertThat(System.nanoTime() - sent).as("granted before the release arrives").isLessThan(delay.toNanos());
            Await.until("the release has arrived", SOON,
                    () -> releasing.isDone() && System.nanoTime() - sent > delay.toNanos());
            next.extend(LEASE);
            assertHeld(next);
            assertThat(b.locks().inspect(name()).orElseThrow().holders()).singleElement()
                    .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(next.fencingToken()));
        }
    }

    /** Several JVMs at once: the test only waits. */
    @Test
    @Fault(14)
    @Needs(Ability.NETWORK)
    void fault14_renewalIsRetriedAfterConnectionBreaks() {
        Duration lease = Duration.ofSeconds(6); // a client may take a second or two to reconnect
        var links = new ArrayList<Link>();
        var jvms = new ArrayList<Jvm>();
        var holds = new ArrayList<LockHandle>();
        try {
            for (int i = 0; i < Scale.times(3); i++) {
                Link.Linked linked = environment().linked("unlucky " + i);
                Jvm jvm = jvmOver(linked.backend());
                holds.add(jvm.lock(name() + i, lease).acquire());
                jvms.add(jvm);
                links.add(linked.link());
            }
            for (int round = 0; round < Scale.times(2); round++) { // the connection that replaced a broken one is broken too
                for (int i = 0; i < links.size(); i++) {
                    links.get(i).loseReplyTo(name() + i);
                }
                Await.during("valid all the time", lease.dividedBy(2), () -> holds.stream().allMatch(LockHandle::isValid));
                links.forEach(Link::heal);
                links.forEach(Link::reset);
                Await.during("valid all the time", lease, () -> holds.stream().allMatch(LockHandle::isValid));
            }
            for (int i = 0; i < holds.size(); i++) {
                assertThat(jvms.get(i).count(Kind.LOST)).isZero();
                assertThat(jvm().lock(name() + i).tryAcquire(Duration.ZERO)).isEmpty();
            }
        } finally {
            holds.forEach(LockHandle::close);
        }
    }
}
