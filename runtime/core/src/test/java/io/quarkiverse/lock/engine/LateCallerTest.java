package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A lock is granted, but its caller resumes only after the grant has ended, or is in doubt. */
class LateCallerTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    /** Tasks handed back to the caller, which is busy until the test runs them. */
    private final Queue<Runnable> ledBack = new ArrayDeque<>();
    private Runnable whenParked = () -> {
    };
    private final LockEngine engine = LockEngine.builder(backend).time(new ForwardedTime(time) {
        @Override
        public void park(Object blocker, long nanos) {
            whenParked.run();
        }
    }).threads(CallerThreads.plain(ledBack::add)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final Runnable theLeaseEnds = () -> time.advance(LEASE);
    private final Runnable theMachineIsSuspended = () -> time.shiftWallClock(Duration.ofMinutes(10));
    private int bodies;

    @AfterEach
    void close() {
        engine.close();
    }

    private DistributedLock lock(Duration wait) {
        return locks.lock("a", LockOptions.DEFAULTS.withWaitFor(wait).withLease(LEASE).withRenew(false));
    }

    private UniAssertSubscriber<Long> call(Duration wait) {
        return lock(wait).callAsync(() -> Uni.createFrom().item(() -> {
            bodies++;
            return engine.held().get(0).fencingToken();
        })).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private void grantAnd(Runnable then) {
        backend.grant();
        then.run();
    }

    private void theCallerIsFree() {
        while (!ledBack.isEmpty()) {
            ledBack.remove().run();
        }
    }

    @Test
    void fault421_bodyDoesNotRunUnderExpiredGrant() {
        var called = call(WAIT);
        grantAnd(theLeaseEnds);
        theCallerIsFree();
        assertThat(bodies).as("under the first grant").isZero();
        assertThat(backend.asked).as("claimed again").hasSize(2);
        backend.grant();
        theCallerIsFree();
        assertThat(called.getItem()).isEqualTo(backend.granted.get(1).fence() * 1024);
        assertThat(bodies).isEqualTo(1);
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
    }

    /** They were granted in one step, and are renewed until their caller resumes. */
    @Test
    void fault538_jointGrantHasFullLeaseOnDelivery() {
        backend.together = true;
        var asked = locks.all(LockOptions.DEFAULTS.withLease(LEASE).withRenew(false), "a", "b").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        backend.grantTogether();
        time.advance(LEASE.multipliedBy(5));
        theCallerIsFree();
        try (LockHandle both = asked.getItem()) {
            assertThat(both.validFor()).isGreaterThan(LEASE.dividedBy(10).multipliedBy(8));
            time.advance(LEASE);
            assertThat(both.isValid()).isFalse();
        }
    }

    @Test
    void fault421_lostGrantIsNotDelivered() {
        var asked = lock(WAIT).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        grantAnd(() -> backend.listener.lost(backend.granted.get(0), "on purpose"));
        theCallerIsFree();
        asked.assertNotTerminated();
        backend.grant();
        theCallerIsFree();
        try (LockHandle hold = asked.getItem()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault421_expiredGrantDoesNotProlongTheWait() {
        var called = call(WAIT);
        time.advance(WAIT.minus(LEASE.dividedBy(2)));
        grantAnd(theLeaseEnds);
        theCallerIsFree();
        called.assertFailedWith(LockLostException.class, "'a'");
        assertThat(bodies).isZero();
        assertThat(backend.asked).hasSize(1);
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
        var again = call(WAIT);
        time.advance(WAIT.dividedBy(2));
        grantAnd(theLeaseEnds);
        theCallerIsFree();
        time.advance(WAIT.dividedBy(2));
        theCallerIsFree();
        assertThat(again.getFailure()).as("after the rest of its wait").isNotNull();
    }

    @Test
    void fault421_immediateCallFailsWithLoss() {
        var called = call(Duration.ZERO);
        grantAnd(theLeaseEnds);
        theCallerIsFree();
        called.assertFailedWith(LockLostException.class, "'a'");
        assertThat(backend.asked).hasSize(1);
    }

    @Test
    void fault421_grantInDoubtIsConfirmedBeforeDelivery() {
        var called = call(WAIT);
        grantAnd(theMachineIsSuspended);
        theCallerIsFree();
        assertThat(backend.renewed).containsExactly(backend.granted);
        assertThat(called.getItem()).isEqualTo(backend.granted.get(0).fence() * 1024);
        assertThat(backend.asked).hasSize(1);
    }

    @Test
    void fault421_cancelledCallHoldsNothing() {
        var called = call(WAIT);
        grantAnd(theLeaseEnds);
        theCallerIsFree();
        called.cancel();
        assertThat(backend.cancelled).containsExactly(backend.asked.get(1));
        backend.grant();
        theCallerIsFree();
        assertThat(bodies).isZero();
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
        assertThat(engine.held()).isEmpty();
    }

    @Test
    void fault421_lateThreadClaimsAgain() throws Exception {
        whenParked = () -> grantAnd(backend.granted.isEmpty() ? theLeaseEnds : () -> {
        });
        assertThat(lock(WAIT).call(() -> engine.held().get(0).fencingToken()))
                .isEqualTo(backend.granted.get(1).fence() * 1024);
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
    }

    @Test
    void fault421_immediateBlockingCallFailsWithLoss() {
        for (Runnable grants : new Runnable[] { () -> backend.whenAsked = () -> grantAnd(theLeaseEnds),
                () -> whenParked = () -> grantAnd(theLeaseEnds) }) {
            backend.whenAsked = () -> {
            };
            grants.run();
            assertThatThrownBy(() -> lock(Duration.ZERO).call(() -> bodies++)).isInstanceOf(LockLostException.class)
                    .hasMessageContaining("'a'");
        }
        assertThat(bodies).isZero();
    }

    @Test
    void fault421_blockingCallConfirmsGrantInDoubt() throws Exception {
        whenParked = () -> grantAnd(theMachineIsSuspended);
        assertThat(lock(WAIT).call(() -> engine.held().size())).isEqualTo(1);
        assertThat(backend.renewed).containsExactly(backend.granted);
    }

    @Test
    void fault421_expiredImmediateGrantIsClaimedAgain() {
        backend.whenAsked = () -> grantAnd(backend.granted.isEmpty() ? theLeaseEnds : () -> {
        });
        var called = call(WAIT);
        theCallerIsFree();
        assertThat(called.getItem()).isEqualTo(backend.granted.get(1).fence() * 1024);
        assertThat(bodies).isEqualTo(1);
    }
}
