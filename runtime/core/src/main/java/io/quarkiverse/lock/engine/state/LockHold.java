package io.quarkiverse.lock.engine.state;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.text.PrintableName;

/**
 * One caller's lock, from the request to the end. While it waits it is a link in its name's queue; once granted it stands on a
 * {@link Lease}. It counts its users (the caller, nested handles, a transaction it is bound to); the last one to leave ends it.
 * It is pure state and calls nobody: {@code HandOver} ends it, {@code Validity} checks whether it is still held, and
 * {@code HoldNotifier} tells its users what happens to it.
 */
public sealed class LockHold extends HoldState implements Held permits TryHold {

    private static final AtomicIntegerFieldUpdater<LockHold> USERS = AtomicIntegerFieldUpdater.newUpdater(LockHold.class,
            "users");
    private static final AtomicReferenceFieldUpdater<LockHold, HoldNews> NEWS = AtomicReferenceFieldUpdater
            .newUpdater(LockHold.class, HoldNews.class, "news");

    public final NameQueue queue;
    /** Changed by a {@link #downgradedTo downgrade}, and for one of several names {@linkplain Holds#complete once}. */
    public HoldSettings settings;

    /** Notified once when a wait is over, on the thread that ended it. */
    public interface Waiter {

        void settled(LockHold hold);
    }

    /** Links in the name's queue, guarded by it. */
    @Nullable
    LockHold previous;
    @Nullable
    LockHold next;

    /** The thread that waits for the outcome; {@code null} if there is a callback, or if nobody waits. */
    private final @Nullable Thread thread;
    private @Nullable Waiter waiter;

    private volatile int users = 1;
    private volatile @Nullable Object boundIn;
    private volatile @Nullable HoldNews news;
    /** Why it was refused, or how it was lost. */
    private volatile @Nullable Ending ending;
    private @Nullable Lease lease;
    private long token;
    /**
     * When it was requested; after the grant, when it was granted. One field for both, because there is a hold for each call.
     */
    private long since;

    /**
     * @param thread to unpark when the wait is over
     * @param waiter called when the wait is over
     */
    public LockHold(NameQueue queue, HoldSettings settings, long requestedAt, @Nullable Thread thread,
            @Nullable Waiter waiter) {
        this.queue = queue;
        this.settings = settings;
        this.since = requestedAt;
        this.thread = thread;
        this.waiter = waiter;
    }

    /** How long from the grant the name stays taken, even if it is released sooner; may change while it is held. */
    public long holdAtLeastNanos() {
        HoldNews changed = news;
        return changed == null ? settings.holdAtLeastNanos() : changed.holdAtLeastNanos(settings);
    }

    public void holdAtLeastNanos(long nanos) {
        news().holdAtLeastNanos(nanos);
    }

    /** How much longer the name must stay taken, whoever holds it; not positive if it need not. */
    public long staysTakenFor(long now) {
        return (settings.incomplete() ? now : since) + holdAtLeastNanos() - now;
    }

    /** Whether its name was to stay taken for some time, even if that has changed: its grant may be kept beyond its lease. */
    public boolean outlastsItsLease() {
        HoldNews changed = news;
        return settings.holdAtLeastNanos() != 0 || changed != null && changed.holdAtLeastChanged();
    }

    /** The lease that decides how often it is renewed: what its name is to stay taken for needs no renewal. */
    long paceNanos(long leaseNanos) {
        return outlastsItsLease() ? Math.min(leaseNanos, wantedLeaseNanos()) : leaseNanos;
    }

    long deadline(long sentAt, long leaseNanos, long grantedAt) {
        return queue.rules.deadline(sentAt, leaseNanos, settings, paceNanos(leaseNanos), grantedAt);
    }

    /** The lease its users asked for last. The grant's may be longer for the sake of others. */
    public long wantedLeaseNanos() {
        HoldNews changed = news;
        return changed == null ? settings.leaseNanos() : changed.leaseNanos(settings);
    }

    public void wantsLease(long nanos) {
        news().leaseNanos(nanos);
    }

    @Override
    public String name() {
        return queue.name;
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public LockHold get(int index) {
        return this;
    }

    @Override
    public @Nullable LockHold refusedHold() {
        return refused() ? this : null;
    }

    @Override
    public long fencingToken() {
        return token;
    }

    /** Valid while it waits, and after a refusal. */
    public long requestedAt() {
        return since;
    }

    public long grantedAt() {
        return since;
    }

    /** It is about to be granted: {@link #grant} must follow. */
    void grantedAt(long now) {
        since = now;
    }

    /** The thread that waits, or waited, for it; {@code null} if there was none. */
    public @Nullable Thread caller() {
        return thread;
    }

    /** Whether the current thread is the one that waits, or waited, for it. */
    public boolean madeByCurrentThread() {
        return thread == Thread.currentThread();
    }

    // --- the wait

    /** Whether the current thread waits for it, and for at least as long as a backend operation may take. */
    public boolean waitsHereFor(Duration operation) {
        return madeByCurrentThread() && (settings.waitNanos() == 0 || settings.waitNanos() >= operation.toNanos());
    }

    /** Call {@link #tellWaiter} once the queue's guard is free; {@code false} if nobody waits any more. */
    public boolean grant(Lease lease, long now) {
        this.lease = lease;
        this.token = lease.token();
        this.since = now;
        return markGranted();
    }

    /** Like {@link #grant}. */
    public boolean refuse(Refusal why) {
        this.ending = why;
        return markRefused();
    }

    /** Why it was refused. */
    public Refusal refusal() {
        return (Refusal) ending;
    }

    public void tellWaiter() {
        Waiter told = waiter;
        if (thread != null) {
            LockSupport.unpark(thread);
        } else if (told != null) {
            waiter = null; // and everything it refers to
            told.settled(this);
        }
    }

    /** The outcome was known at once: the waiter need not be retained as long as the hold. */
    public void forgetWaiter() {
        waiter = null;
    }

    // --- loss and users

    /** Whether the loss of this hold makes what runs under it fail. */
    public boolean failsOnLoss() {
        return settings.onLost() != OnLost.NOTIFY;
    }

    /** Whether the loss of this hold interrupts the thread of a blocking body. */
    public boolean interruptsOnLoss() {
        return settings.onLost() == OnLost.INTERRUPT;
    }

    // --- users

    /** Adds a user, unless the hold has ended; each user calls {@link #leftByLast} once. */
    public boolean enter() {
        for (;;) {
            int now = users;
            if (now == 0 || !live()) {
                return false;
            }
            if (USERS.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    /** {@link #enter}, if there is exactly one user now. */
    public boolean enterBesideOne() {
        return live() && USERS.compareAndSet(this, 1, 2);
    }

    /** It shares the name from now on. The caller must hold the queue's guard and be one of its users. */
    public void downgradedTo(JointLease joint) {
        settings = settings.withMode(LockMode.SHARED);
        lease = joint;
        publish();
    }

    /**
     * {@link #enter}, for a user inside a scope of this hold, or in its transaction, that wants these settings.
     *
     * @throws IllegalStateException if this hold does not cover them
     */
    public boolean enterFor(HoldSettings wanted) {
        if (!live()) {
            return false;
        }
        settings.checkCovers(wanted, name());
        markJoined();
        return enter();
    }

    /** Removes a user; returns whether it was the last one, which must end the hold. */
    public boolean leftByLast() {
        return USERS.decrementAndGet(this) == 0;
    }

    /** It has ended, even if it is still in use. */
    public void noUsersAnyMore() {
        this.users = 0;
    }

    /** The work in which a transaction got this hold; {@code null} if there is none, or it has ended. For messages only. */
    public @Nullable Object boundIn() {
        return boundIn;
    }

    /** @param work see {@code CallerThreads} */
    public void boundIn(@Nullable Object work) {
        this.boundIn = work;
    }

    // --- of a lock that lives in a transaction

    /** The database has granted the lock with this fencing token. Until then the token is 0, and the hold waits. */
    public void fenced(long token, long now) {
        this.since = now;
        this.token = token;
    }

    /** Like {@link #grant}: it was this caller's turn, but it could not get the lock. */
    public boolean takeBack(Refusal why, long requestedAt) {
        if (!markTakenBack()) {
            return false;
        }
        this.ending = why;
        this.since = requestedAt;
        this.users = 0;
        return true;
    }

    /** Whether it is only the turn in this JVM so far: the lock, which lives in a transaction, and its token come later. */
    public boolean onlyTurn() {
        return token == 0 && !queue.rules.handedOn;
    }

    /** Whether it has users other than the calling one. */
    public boolean usedByOthers() {
        return users > 1;
    }

    // --- loss

    /** Call {@code HoldNotifier.lost} once the queue's guard is free; {@code false} if it had already ended. */
    public boolean lose(String why) {
        if (!live()) {
            return false;
        }
        this.ending = new Ending.Loss(lossMessage(why));
        return markLost();
    }

    /**
     * Its release has found that the lock was gone while it was held, or coincided with that news. Call
     * {@code HoldNotifier.lost} afterwards; {@code false} if it is not being released, or nothing has run under it.
     */
    public boolean loseAtRelease(String why) {
        if (!released()) {
            return false;
        }
        this.ending = new Ending.Loss(lossMessage(why));
        return markLostAtRelease();
    }

    private String lossMessage(String why) {
        return "Lock '" + PrintableName.of(name()) + "' was lost while held, fencing token " + token + ": " + why;
    }

    /** The exception to fail with when it is lost; a new one each time, so that its stack trace shows who fails. */
    public LockLostException loss() {
        return new LockLostException(name(),
                ending instanceof Ending.Loss loss ? loss.message()
                        : "Lock '" + PrintableName.of(name()) + "' is no longer held",
                null);
    }

    public void stopTelling(LossNews.Listener listener) {
        HoldNews known = news;
        if (known != null) {
            known.lost.remove(listener);
        }
    }

    public void stopTelling(CompletableFuture<LockLostException> stage) {
        HoldNews known = news;
        if (known != null) {
            known.lost.remove(stage);
        }
    }

    /** {@code null} if nobody has asked for news. */
    @Nullable
    public HoldNews newsIfAny() {
        return news;
    }

    public HoldNews news() {
        HoldNews known = news;
        if (known == null) {
            known = new HoldNews();
            if (!NEWS.compareAndSet(this, null, known)) {
                known = news;
            }
        }
        return known;
    }

    // --- requests to give it back

    /**
     * Call {@code HoldNotifier.releaseRequested} once the queue's guard is free; {@code false} if it already knew, or has
     * ended. Its grant is then neither kept nor handed on, even if it has just been released.
     */
    public boolean ask() {
        if (askedFor()) {
            return false;
        }
        news().asked = true;
        return live();
    }

    /** Whether somebody has asked for its release. */
    public boolean askedFor() {
        HoldNews known = news;
        return known != null && known.asked;
    }

    public Lease lease() {
        return lease;
    }

    @Override
    public String toString() {
        return "LockHold[" + PrintableName.of(name()) + "@" + token + "]";
    }
}
