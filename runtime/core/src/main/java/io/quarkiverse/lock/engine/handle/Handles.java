package io.quarkiverse.lock.engine.handle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.acquire.BlockingAnswers;
import io.quarkiverse.lock.engine.acquire.BlockingRelease;
import io.quarkiverse.lock.engine.acquire.LedBack;
import io.quarkiverse.lock.engine.lease.Downgrades;
import io.quarkiverse.lock.engine.lease.LeaseChanges;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.queue.Releases.PendingRelease;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.thread.Losable;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Makes handles of holds. */
public final class Handles {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<OpenHandle, CompletableFuture> RELEASED = AtomicReferenceFieldUpdater
            .newUpdater(OpenHandle.class, CompletableFuture.class, "released");
    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<OpenHandle, Told> LOST = AtomicReferenceFieldUpdater
            .newUpdater(OpenHandle.class, Told.class, "lost");
    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<OpenHandle, Told> REQUESTED = AtomicReferenceFieldUpdater
            .newUpdater(OpenHandle.class, Told.class, "requested");

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

    /** The caller is already counted as a user of the hold, or of each. */
    public LockHandle of(Held held) {
        return new OpenHandle(held);
    }

    /**
     * Releases a handle whose caller has cancelled, unless it has been released. If the caller has never called it, nothing has
     * run under it: the name does not stay taken.
     */
    static void giveBack(LockHandle handle) {
        OpenHandle open = (OpenHandle) handle;
        open.release(false, open.used);
    }

    /** What one handle's user is told. It must not refer to the handle, which could never be collected otherwise. */
    private static final class Told<T> extends CompletableFuture<T> {

        /** Its user cannot complete this one. What its user lets follow comes last, since this is the first to depend on it. */
        final CompletionStage<T> stage = minimalCompletionStage();
    }

    /**
     * One user's view of a hold, outer or nested. It ends with its own release, the hold with the last one. Several holds are
     * valid only while all are, count as lost with the first, and are released together.
     */
    private final class OpenHandle implements LockHandle, Losable {

        private final ForgottenHandles.Watch watch;
        /** The answer to the release, once that has begun. */
        private volatile @Nullable CompletableFuture<Void> released;
        /** Whether its user has called it. */
        private volatile boolean used;
        /** {@code null} if its user has not asked for this news. */
        private volatile @Nullable Told<LockLostException> lost;
        private volatile @Nullable Told<Void> requested;

        OpenHandle(Held held) {
            this.watch = forgotten.watch(this, held);
        }

        /** For what its user calls before the release. */
        @Override
        public Held held() {
            if (!used) {
                used = true;
            }
            return watch.held;
        }

        @Override
        public String name() {
            return held().name();
        }

        @Override
        public long fencingToken() {
            return held().fencingToken();
        }

        @Override
        public long fencingToken(String name) {
            Held held = held();
            if (held instanceof LockHold) {
                return LockHandle.super.fencingToken(name);
            }
            for (int i = 0; i < held.size(); i++) {
                if (held.get(i).name().equals(name)) {
                    return held.get(i).fencingToken();
                }
            }
            throw new IllegalArgumentException(
                    "This handle holds the locks '" + PrintableName.of(name()) + "', but not '" + PrintableName.of(name) + "'");
        }

        @Override
        public boolean isValid() {
            return validNanos() > 0;
        }

        @Override
        public Duration validFor() {
            return Duration.ofNanos(validNanos());
        }

        private long validNanos() {
            Held held = held();
            long shortest = released == null ? Long.MAX_VALUE : 0;
            for (int i = 0; i < held.size() && shortest > 0; i++) {
                shortest = Math.min(shortest, validity.validNanos(held.get(i)));
            }
            return shortest;
        }

        @Override
        public void onLost(Runnable callback) {
            HoldNotifier told = notifier; // the listener must not refer to this handle, or it could never be collected
            toldOfLoss().thenAccept(loss -> told.run(callback, loss)); // before what its user lets follow the stage
        }

        @Override
        public CompletionStage<LockLostException> lost() {
            return toldOfLoss().stage;
        }

        private Told<LockLostException> toldOfLoss() {
            Told<LockLostException> known = lost;
            if (known == null) {
                known = new Told<>();
                if (!LOST.compareAndSet(this, null, known)) {
                    return lost;
                }
                Held held = held();
                for (int i = 0; i < held.size(); i++) {
                    notifier.lossNews(held.get(i)).add(known);
                }
                if (released != null) {
                    forgetNews();
                }
            }
            return known;
        }

        /**
         * After the release, requests, and the losses of holds that others still use, are no news for its user. If it was the
         * last user, the release may yet find a loss.
         */
        private void forgetNews() {
            Told<Void> request = requested;
            Told<LockLostException> told = lost;
            for (int i = 0; i < watch.held.size(); i++) {
                LockHold hold = watch.held.get(i);
                if (request != null) {
                    hold.news().requested().remove(request);
                }
                if (told != null && hold.live()) {
                    hold.stopTelling(told);
                }
            }
        }

        @Override
        public boolean isReleaseRequested() {
            Held held = held();
            for (int i = 0; i < held.size(); i++) {
                if (held.get(i).askedFor()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void onReleaseRequested(Runnable callback) {
            notifier.onRequest(toldOfRequest(), callback, name());
        }

        @Override
        public CompletionStage<Void> releaseRequested() {
            return toldOfRequest().stage;
        }

        private Told<Void> toldOfRequest() {
            Told<Void> known = requested;
            if (known == null) {
                known = new Told<>();
                if (!REQUESTED.compareAndSet(this, null, known)) {
                    return requested;
                }
                Held held = held();
                for (int i = 0; i < held.size(); i++) {
                    held.get(i).news().requested().add(known);
                }
                if (released != null) {
                    forgetNews();
                }
            }
            return known;
        }

        @Override
        public @Nullable LockLostException lossSoFar() {
            return validity.lossForGood(held(), true);
        }

        @Override
        public void extend(Duration lease) {
            LockOptions.checkLease(lease);
            await(hold -> changes.extend(hold, lease), "extended", "extendAsync()");
        }

        @Override
        public Uni<Void> extendAsync(Duration lease) {
            LockOptions.checkLease(lease);
            return oneByOne(hold -> changes.extend(hold, lease));
        }

        @Override
        public void changeLease(Duration lease) {
            LockOptions.checkLease(lease);
            await(hold -> changes.changeLease(hold, lease), "shortened", "changeLeaseAsync()");
        }

        @Override
        public Uni<Void> changeLeaseAsync(Duration lease) {
            LockOptions.checkLease(lease);
            return oneByOne(hold -> changes.changeLease(hold, lease));
        }

        @Override
        public void changeHoldAtLeast(Duration holdAtLeast) {
            LockOptions.checkHoldAtLeast(holdAtLeast);
            var change = changes.holdAtLeast(held(), holdAtLeast);
            try {
                await(change::of, "given a new holdAtLeast", "changeHoldAtLeastAsync()");
            } catch (RuntimeException | Error e) {
                change.takeBack();
                throw e;
            }
        }

        @Override
        public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
            LockOptions.checkHoldAtLeast(holdAtLeast);
            return Uni.createFrom().deferred(() -> {
                var change = changes.holdAtLeast(held(), holdAtLeast);
                // A failure is undone before its subscriber is led back: the lock may be released meanwhile
                return new LedBack<>(threads, each(change::of).onFailure().invoke(change::takeBack))
                        .onCancellation().invoke(change::takeBack);
            });
        }

        @Override
        public void downgrade() {
            await(downgrades::downgrade, "downgraded", "downgradeAsync()");
        }

        @Override
        public Uni<Void> downgradeAsync() {
            return oneByOne(downgrades::downgrade);
        }

        @Override
        public boolean mayBeDowngraded() {
            Held held = held();
            for (int i = 0; i < held.size(); i++) {
                if (downgrades.refusal(held.get(i)) != null) {
                    return false;
                }
            }
            return released == null;
        }

        private Uni<Void> oneByOne(Function<LockHold, Uni<Void>> change) {
            return new LedBack<>(threads, each(change));
        }

        private Uni<Void> each(Function<LockHold, Uni<Void>> change) {
            Held held = held();
            return held instanceof LockHold hold ? whileHeld(hold, change)
                    : Multi.createFrom().range(0, held.size())
                            .onItem().transformToUniAndConcatenate(i -> whileHeld(held.get(i), change))
                            .onItem().ignoreAsUni();
        }

        private Uni<Void> whileHeld(LockHold hold, Function<LockHold, Uni<Void>> change) {
            return Uni.createFrom().deferred(() -> released != null || !hold.live()
                    ? Uni.createFrom().failure(hold.loss())
                    : change.apply(hold));
        }

        private void await(Function<LockHold, Uni<Void>> change, String what, String instead) {
            if (threads.blockingForbidden()) {
                throw threads.blockingRefused(
                        "Lock '" + PrintableName.of(name()) + "' cannot be " + what + " on an event loop: use " + instead);
            }
            Held held = held();
            for (int i = 0; i < held.size(); i++) {
                answers.await(whileHeld(held.get(i), change), held.get(i).name());
            }
        }

        @Override
        public Uni<Void> release() {
            CompletableFuture<Void> answer = release(false, true);
            PendingRelease pending = new PendingRelease(answer);
            return answer.isDone() ? pending : new LedBack<>(threads, pending);
        }

        private CompletableFuture<Void> release(boolean callerWaits, boolean used) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            if (!RELEASED.compareAndSet(this, null, answer)) {
                return released;
            }
            watch.released();
            Uni<Void> sent = leave(watch.held, callerWaits, used);
            if (sent == Nothing.UNI) {
                answer.complete(null);
            } else {
                new PendingRelease(answer).follow(sent);
            }
            forgetNews();
            return answer;
        }

        private Uni<Void> leave(Held held, boolean callerWaits, boolean used) {
            if (!used) {
                return handOver.giveBack(held);
            }
            // Several releases are sent at once: none waits for another's answer
            return held instanceof LockHold hold ? handOver.leave(hold, callerWaits) : handOver.leave(held);
        }

        @Override
        public void close() {
            boolean waits = !threads.blockingForbidden();
            CompletableFuture<Void> answer = release(waits, true);
            if (waits && !answer.isDone()) {
                blockingRelease.await(answer, held());
            }
        }

        @Override
        public String toString() {
            return "LockHandle[" + PrintableName.of(name())
                    + (held() instanceof LockHold hold ? ", fencingToken=" + hold.fencingToken() : "")
                    + ", valid=" + isValid() + "]";
        }
    }
}
