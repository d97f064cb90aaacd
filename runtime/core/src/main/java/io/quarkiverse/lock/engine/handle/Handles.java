package io.quarkiverse.lock.engine.handle;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.acquire.BlockingAnswers;
import io.quarkiverse.lock.engine.acquire.BlockingRelease;
import io.quarkiverse.lock.engine.lease.Downgrades;
import io.quarkiverse.lock.engine.lease.LeaseChanges;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.PendingRelease;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.thread.Losable;
import io.smallrye.mutiny.Uni;

/** Makes handles of holds. */
public final class Handles {

    private static final AtomicReferenceFieldUpdater<OpenHandle, PendingRelease> RELEASED = AtomicReferenceFieldUpdater
            .newUpdater(OpenHandle.class, PendingRelease.class, "released");

    private final CallerThreads threads;
    private final ForgottenHandles forgotten;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final LeaseChanges changes;
    private final Downgrades downgrades;
    private final HandOver handOver;
    private final BlockingRelease blockingRelease;
    private final BlockingAnswers answers;

    public Handles(CallerThreads threads, ForgottenHandles forgotten, Validity validity, HoldNotifier notifier,
            LeaseChanges changes, Downgrades downgrades, HandOver handOver, BlockingRelease blockingRelease,
            BlockingAnswers answers) {
        this.threads = threads;
        this.forgotten = forgotten;
        this.validity = validity;
        this.notifier = notifier;
        this.changes = changes;
        this.downgrades = downgrades;
        this.handOver = handOver;
        this.blockingRelease = blockingRelease;
        this.answers = answers;
    }

    /** The caller is already counted as a user of the hold. */
    public OpenHandle of(LockHold hold) {
        return new OpenHandle(hold);
    }

    /** The caller is already counted as a user of the hold, or of each. */
    public LockHandle of(Held held) {
        return held instanceof LockHold hold ? of(hold) : of((Holds) held);
    }

    /** The caller is already counted as a user of each. */
    public SeveralHandles of(Holds holds) {
        OpenHandle[] each = new OpenHandle[holds.size()];
        for (int i = 0; i < each.length; i++) {
            each[i] = new OpenHandle(holds.get(i));
        }
        return new SeveralHandles(each);
    }

    /** Releases what nobody has any use for, unless it has been released. */
    static void giveBack(LockHandle handle) {
        if (handle instanceof SeveralHandles several) {
            several.giveBack();
        } else {
            ((OpenHandle) handle).giveBack();
        }
    }

    /** One user's view of a hold, outer or nested; it ends with its own release, the hold with the last one. */
    final class OpenHandle implements LockHandle, Losable {

        private final ForgottenHandles.Watch watch;
        private volatile @Nullable PendingRelease released;

        /** The caller is already counted as a user of the hold. */
        OpenHandle(LockHold hold) {
            this.watch = forgotten.watch(this, hold);
        }

        private LockHold hold() {
            return watch.hold;
        }

        @Override
        public String name() {
            return hold().name();
        }

        @Override
        public long fencingToken() {
            return hold().fencingToken();
        }

        @Override
        public boolean isValid() {
            return released == null && validity.valid(hold());
        }

        @Override
        public Duration validFor() {
            return released == null ? Duration.ofNanos(validity.validNanos(hold())) : Duration.ZERO;
        }

        @Override
        public void onLost(Runnable callback) {
            lost().thenRun(callback);
        }

        @Override
        public CompletionStage<LockLostException> lost() {
            return notifier.whenLost(hold()).thenApply(loss -> loss);
        }

        @Override
        public boolean isReleaseRequested() {
            return hold().askedFor();
        }

        @Override
        public void onReleaseRequested(Runnable callback) {
            releaseRequested().thenRun(callback);
        }

        @Override
        public CompletionStage<Void> releaseRequested() {
            return notifier.whenReleaseRequested(hold()).thenApply(nothing -> nothing);
        }

        @Override
        public @Nullable LockLostException lossSoFar() {
            return hold().failsOnLoss() && validity.lostForGood(hold()) ? hold().loss() : null;
        }

        @Override
        public void extend(Duration lease) {
            await(extendAsync(lease), "extended", "extendAsync()");
        }

        @Override
        public Uni<Void> extendAsync(Duration lease) {
            LockOptions.checkLease(lease);
            return whileHeld(() -> changes.extend(hold(), lease));
        }

        @Override
        public void changeLease(Duration lease) {
            await(changeLeaseAsync(lease), "shortened", "changeLeaseAsync()");
        }

        @Override
        public Uni<Void> changeLeaseAsync(Duration lease) {
            LockOptions.checkLease(lease);
            return whileHeld(() -> changes.changeLease(hold(), lease));
        }

        @Override
        public void changeHoldAtLeast(Duration holdAtLeast) {
            await(changeHoldAtLeastAsync(holdAtLeast), "kept for another time", "changeHoldAtLeastAsync()");
        }

        @Override
        public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
            LockOptions.checkHoldAtLeast(holdAtLeast);
            return whileHeld(() -> changes.changeHoldAtLeast(hold(), holdAtLeast));
        }

        @Override
        public void downgrade() {
            await(downgradeAsync(), "downgraded", "downgradeAsync()");
        }

        @Override
        public Uni<Void> downgradeAsync() {
            return whileHeld(() -> downgrades.downgrade(hold()));
        }

        @Override
        public boolean mayBeDowngraded() {
            return released == null && downgrades.refusal(hold()) == null;
        }

        private Uni<Void> whileHeld(Supplier<Uni<Void>> change) {
            return Uni.createFrom().deferred(() -> released != null || !hold().live()
                    ? Uni.createFrom().failure(hold().loss())
                    : change.get());
        }

        private void await(Uni<Void> change, String what, String instead) {
            if (threads.blockingForbidden()) {
                throw threads.blockingRefused(
                        "Lock '" + PrintableName.of(name()) + "' cannot be " + what + " on an event loop: use " + instead);
            }
            answers.await(change, name());
        }

        @Override
        public Uni<Void> release() {
            return release(false, true);
        }

        /** Releases what nobody has any use for, unless it has been released. */
        void giveBack() {
            release(false, false);
        }

        private Uni<Void> release(boolean callerWaits, boolean used) {
            Uni<Void> known = released;
            if (known != null) {
                return known;
            }
            PendingRelease marker = new PendingRelease();
            if (!RELEASED.compareAndSet(this, null, marker)) {
                return released;
            }
            watch.released();
            marker.follow(used ? handOver.leave(hold(), callerWaits) : handOver.leaveUnused(hold()));
            return marker;
        }

        @Override
        public void close() {
            boolean waits = !threads.blockingForbidden();
            Uni<Void> release = release(waits, true);
            if (!waits || PendingRelease.isDone(release)) {
                return;
            }
            blockingRelease.await(release, hold());
        }

        @Override
        public String toString() {
            return "LockHandle[" + PrintableName.of(name()) + ", fencingToken=" + fencingToken() + ", valid=" + isValid() + "]";
        }
    }
}
