package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.PrintableName;
import io.smallrye.mutiny.Uni;

/** One user's view of a hold, outer or nested; it ends with its own release, the hold with the last one. */
final class OpenHandle implements LockHandle, Losable {

    private static final AtomicReferenceFieldUpdater<OpenHandle, PendingRelease> RELEASED = AtomicReferenceFieldUpdater
            .newUpdater(OpenHandle.class, PendingRelease.class, "released");

    private final Hold hold;
    private final ForgottenHandles.Watch watch;
    private volatile @Nullable PendingRelease released;

    /** The caller is already counted as a user of the hold. */
    OpenHandle(Hold hold) {
        this.hold = hold;
        this.watch = hold.engine().forgottenHandles().watch(this, hold);
    }

    @Override
    public String name() {
        return hold.name();
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken();
    }

    @Override
    public boolean isValid() {
        return released == null && hold.valid();
    }

    @Override
    public Duration validFor() {
        return released == null ? Duration.ofNanos(hold.validNanos()) : Duration.ZERO;
    }

    @Override
    public void onLost(Runnable callback) {
        lost().thenRun(callback);
    }

    @Override
    public CompletionStage<LockLostException> lost() {
        return hold.lost().thenApply(loss -> loss);
    }

    @Override
    public boolean isReleaseRequested() {
        return hold.askedFor();
    }

    @Override
    public void onReleaseRequested(Runnable callback) {
        releaseRequested().thenRun(callback);
    }

    @Override
    public CompletionStage<Void> releaseRequested() {
        return hold.releaseRequested().thenApply(nothing -> nothing);
    }

    @Override
    public @Nullable LockLostException lossSoFar() {
        return hold.failsOnLoss() && hold.lostForGood() ? hold.loss() : null;
    }

    @Override
    public void extend(Duration lease) {
        await(extendAsync(lease), "extended", "extendAsync()");
    }

    @Override
    public Uni<Void> extendAsync(Duration lease) {
        LockOptions.checkLease(lease);
        return whileHeld(() -> hold.engine().extend(hold, lease));
    }

    @Override
    public void changeLease(Duration lease) {
        await(changeLeaseAsync(lease), "shortened", "changeLeaseAsync()");
    }

    @Override
    public Uni<Void> changeLeaseAsync(Duration lease) {
        LockOptions.checkLease(lease);
        return whileHeld(() -> hold.engine().changeLease(hold, lease));
    }

    @Override
    public void changeHoldAtLeast(Duration holdAtLeast) {
        await(changeHoldAtLeastAsync(holdAtLeast), "kept for another time", "changeHoldAtLeastAsync()");
    }

    @Override
    public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
        LockOptions.checkHoldAtLeast(holdAtLeast);
        return whileHeld(() -> hold.engine().changeHoldAtLeast(hold, holdAtLeast));
    }

    @Override
    public void downgrade() {
        await(downgradeAsync(), "downgraded", "downgradeAsync()");
    }

    @Override
    public Uni<Void> downgradeAsync() {
        return whileHeld(() -> hold.engine().downgrades().downgrade(hold));
    }

    @Override
    public boolean mayBeDowngraded() {
        return released == null && hold.engine().downgrades().refusal(hold) == null;
    }

    private Uni<Void> whileHeld(Supplier<Uni<Void>> change) {
        return Uni.createFrom().deferred(() -> released != null || !hold.live()
                ? Uni.createFrom().failure(hold.loss())
                : change.get());
    }

    private void await(Uni<Void> change, String what, String instead) {
        LockEngine engine = hold.engine();
        if (engine.threads().blockingForbidden()) {
            throw engine.threads().blockingRefused(
                    "Lock '" + PrintableName.of(name()) + "' cannot be " + what + " on an event loop: use " + instead);
        }
        BlockingAnswer.of(change, name(), engine);
    }

    @Override
    public Uni<Void> release() {
        return release(false, true);
    }

    /** Releases what nobody has any use for, unless it has been released. */
    static void giveBack(LockHandle handle) {
        ((OpenHandle) handle).release(false, false);
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
        marker.follow(used ? hold.leave(callerWaits) : hold.leaveUnused());
        return marker;
    }

    @Override
    public void close() {
        LockEngine engine = hold.engine();
        boolean waits = !engine.threads().blockingForbidden();
        Uni<Void> release = release(waits, true);
        if (!waits || PendingRelease.isDone(release)) {
            return;
        }
        BlockingRelease.await(release, hold, engine);
    }

    @Override
    public String toString() {
        return "LockHandle[" + PrintableName.of(name()) + ", fencingToken=" + fencingToken() + ", valid=" + isValid() + "]";
    }
}
