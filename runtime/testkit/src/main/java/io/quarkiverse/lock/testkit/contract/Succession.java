package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;

/** A hold that ends without a release, and the waiter that follows: the holder must know before the waiter has it. */
final class Succession {

    private record Taken(LockHandle hold, long at, boolean firstStillValid) {
    }

    /** There may be a hundred waiters, and the first begins to wait long before the last. */
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(30))
            .withWaitFor(Duration.ofMinutes(1));

    private final LockHandle first;
    private final CompletableFuture<Taken> taken;
    private final AtomicLong lostAt = new AtomicLong();
    private long validUntil = System.nanoTime();

    Succession(Jvm a, Jvm b, String name, Duration lease) {
        this(a.lock(name, lease).acquire(), b);
    }

    Succession(LockHandle first, Jvm b) {
        this.first = first;
        first.onLost(() -> lostAt.compareAndSet(0, System.nanoTime()));
        this.taken = b.locks().lock(first.name(), PATIENT).acquireAsync()
                .map(hold -> new Taken(hold, System.nanoTime(), first.isValid())).subscribeAsCompletionStage();
    }

    LockHandle first() {
        return first;
    }

    LockHandle next() {
        return taken.join().hold;
    }

    boolean isDone() {
        return taken.isDone();
    }

    /** Records for how long the first hold says that it is valid; to be called repeatedly until it is not. */
    void sample() {
        long now = System.nanoTime();
        Duration left = first.validFor();
        if (!left.isZero() && now + left.toNanos() - validUntil > 0) {
            validUntil = now + left.toNanos();
        }
    }

    void check() {
        Taken got = taken.join();
        assertThat(got.firstStillValid).as("the first hold says it is valid while the second one has it").isFalse();
        assertThat(got.at - validUntil).as("ns from when the first knew to when the second had it").isPositive();
        assertThat(first.isValid()).isFalse();
        assertThat(got.hold.fencingToken()).isGreaterThan(first.fencingToken());
        Await.until("onLost has run", ContractTest.SOON, () -> lostAt.get() != 0);
        // It is notified on a separate thread, so this may be a moment late, or seconds late on a busy machine
        assertThat(lostAt.get() - got.at).isLessThan(Duration.ofSeconds(8).toNanos());
    }
}
