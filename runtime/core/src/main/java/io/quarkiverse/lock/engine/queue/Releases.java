package io.quarkiverse.lock.engine.queue;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Gives grants back to the backend. A failed release is retried in the background until the lease would have ended anyway. If
 * the backend no longer had the grant, the hold is reported lost, unless nobody has used the grant.
 */
public final class Releases {

    private static final Logger LOG = Logger.getLogger(Releases.class);

    private final LockBackend backend;
    private final LockTime time;
    private final Events events;
    private final ErrorMessages errors;
    private final NameTable names;
    private final Losses losses;
    /** Releases that are unanswered or being retried. */
    private final AtomicInteger underWay = new AtomicInteger();
    private final Set<LockHold> retried = ConcurrentHashMap.newKeySet();
    /** Grants that nobody wants any more, until they have gone. */
    private final Set<Grant> unwanted = ConcurrentHashMap.newKeySet();

    public Releases(LockBackend backend, LockTime time, Events events, ErrorMessages errors, NameTable names,
            Losses losses) {
        this.backend = backend;
        this.time = time;
        this.events = events;
        this.errors = errors;
        this.names = names;
        this.losses = losses;
    }

    /**
     * Sends the release now, not at the subscription; completes with the answer to the first attempt. A hold that turns out to
     * be lost is marked so first; that is no failure of the release.
     */
    Uni<Void> release(LockHold hold, Lease lease, boolean callerWaits) {
        PendingRelease pending = new PendingRelease();
        underWay.incrementAndGet();
        subscribe(lease.grant, hold, callerWaits, () -> {
            events.over(hold);
            answered();
            pending.complete(null);
        }, failure -> {
            if (failure instanceof LockLostException loss) {
                losses.lostAtRelease(hold, loss.getMessage());
                events.over(hold);
                answered();
                pending.complete(null);
                return;
            }
            warn(lease.grant, failure);
            retried.add(hold);
            retry(hold, lease, 1);
            pending.complete(errors.ofBackend(hold.name(), failure));
        });
        return pending;
    }

    private void warn(Grant grant, Throwable failure) {
        LOG.warnf("Lock '%s' could not be released at backend '%s', trying again until its lease ends: %s",
                PrintableName.of(grant.name()), backend.name(), PrintableName.oneLine(failure.toString()));
    }

    private void answered() {
        if (underWay.decrementAndGet() == 0) {
            names.holdGone();
        }
    }

    public boolean noneUnderWay() {
        return underWay.get() == 0;
    }

    /** The hold is over only when this ends: the backend may still report it lost. */
    private void retry(LockHold hold, Lease lease, int attempt) {
        // Not the holder's deadline: the backend may keep the grant for some time after it
        if (names.closed() || hasEnded(lease.grant)) {
            leave(hold);
            return;
        }
        time.schedule(delay(lease.grant, attempt), () -> {
            events.emit(Kind.RETRIED, hold, 0, "release");
            subscribe(lease.grant, hold, false, () -> {
                if (retried.remove(hold)) {
                    events.emit(Kind.RELEASED_LATE, hold, time.nanoTime() - hold.grantedAt(), null);
                    events.over(hold);
                    answered();
                }
            }, failure -> {
                if (failure instanceof LockLostException loss) { // no earlier attempt was sent
                    if (retried.remove(hold)) {
                        losses.lostAtRelease(hold, loss.getMessage());
                        events.over(hold);
                        answered();
                    }
                } else {
                    retry(hold, lease, attempt + 1);
                }
            });
        });
    }

    /** Gives up: the lock stays taken until its lease ends. */
    private void leave(LockHold hold) {
        if (retried.remove(hold)) {
            LOG.warnf("Lock '%s' could not be released; it becomes free when its lease ends", PrintableName.of(hold.name()));
            events.over(hold);
            answered();
        }
    }

    /** Stops all retries: what could not be released is left to its lease, and reported. */
    public void stop() {
        retried.forEach(this::leave);
    }

    /** Whether its lease has ended at the backend too. */
    boolean hasEnded(Grant grant) {
        long now = time.nanoTime();
        return now - grant.sentAt() >= grant.leaseNanos() && !grant.keptAt(now);
    }

    /** How long to wait before the next attempt. */
    public static long delay(Grant grant, int attempt) {
        return Math.min(grant.leaseNanos() / 12, 100_000_000L << Math.min(attempt, 4));
    }

    /** Ends a grant that nobody wants any more. A failure is retried until the lease must have ended. */
    public void undo(Grant grant) {
        undo(grant, null);
    }

    /** @param used the lost hold that has used it and may keep its name taken; {@code null} if there is none */
    void undo(Grant grant, @Nullable LockHold used) {
        underWay.incrementAndGet();
        unwanted.add(grant);
        Runnable gone = () -> {
            unwanted.remove(grant);
            names.holdGone();
        };
        send(grant, used, () -> {
            gone.run();
            answered();
        }, failure -> {
            answered();
            endLater(grant, used, 0, failure, () -> {
            }, gone);
        });
    }

    /** Whether no grant that nobody wants is left. */
    public boolean nothingUnwanted() {
        return unwanted.isEmpty();
    }

    /** The names of grants that nobody wants and that are still there, until their leases end. */
    public List<String> unwanted() {
        return unwanted.stream().filter(grant -> !hasEnded(grant)).map(Grant::name).toList();
    }

    /**
     * Retries to give back a grant that was kept without a holder. Others may be waiting for it.
     *
     * @param warns unless the engine stops, which tells of all that are left
     * @param over called when it has gone, or its lease must have ended
     */
    void endIdle(Lease kept, Throwable failure, boolean warns, Runnable over) {
        Grant grant = kept.grant;
        if (!(failure instanceof LockLostException) && warns && !names.closing() && !hasEnded(grant)) {
            warn(grant, failure);
        }
        endLater(grant, null, 1, failure, () -> events.emit(Kind.RETRIED, kept.holder(), 0, "release"), over);
    }

    /**
     * Retries to end a grant that nobody relies on.
     *
     * @param used see {@link #undo(Grant, LockHold)}
     * @param retried called before each further attempt
     */
    private void endLater(Grant grant, @Nullable LockHold used, int attempt, Throwable failure, Runnable retried,
            Runnable over) {
        if (failure instanceof LockLostException) {
            over.run(); // nothing is left to undo, and nobody has relied on the grant since
            return;
        }
        LOG.debugf("Grant %s could not be undone: %s", grant, PrintableName.oneLine(failure.toString()));
        if (hasEnded(grant)) {
            over.run();
        } else if (!names.closed()) {
            time.schedule(delay(grant, attempt), () -> {
                retried.run();
                send(grant, used, over, again -> endLater(grant, used, attempt + 1, again, retried, over));
            });
        }
    }

    /** One attempt. */
    void send(Grant grant, @Nullable LockHold used, Runnable done, Consumer<Throwable> failed) {
        subscribe(grant, used, false, done, failed);
    }

    private void subscribe(Grant grant, @Nullable LockHold hold, boolean callerWaits, Runnable done,
            Consumer<Throwable> failed) {
        Uni<Void> release;
        try {
            long staysTaken = hold == null ? 0 : staysTaken(hold);
            release = staysTaken > 0 ? backend.releaseAfter(grant, staysTaken) : backend.release(grant);
        } catch (RuntimeException | Error e) {
            failed.accept(e);
            return;
        }
        AbstractUni.subscribe(release, new Answer(callerWaits ? CallerWaits.CONTEXT : Context.empty(), done, failed));
    }

    /** Not a Mutiny callback: those propagate the caller's contexts, which costs more than everything else here. */
    private record Answer(Context context, Runnable done, Consumer<Throwable> failed) implements UniSubscriber<Void> {

        @Override
        public void onSubscribe(UniSubscription subscription) {
            // a release is never cancelled
        }

        @Override
        public void onItem(@Nullable Void nothing) {
            done.run();
        }

        @Override
        public void onFailure(Throwable failure) {
            failed.accept(failure);
        }
    }

    /** How long the name must stay taken after its holder has finished; not positive if it need not. */
    private long staysTaken(LockHold hold) {
        return hold.holdAtLeastNanos() == 0 || hold.releasedUnused() || hold.refused() ? 0
                : hold.staysTakenFor(time.nanoTime());
    }

    /**
     * The answer to a release that has been sent. It takes any number of subscribers, now or later; none of them can cancel the
     * release.
     */
    public static final class PendingRelease extends AbstractUni<Void> {

        private final CompletableFuture<Void> answer;

        PendingRelease() {
            this(new CompletableFuture<>());
        }

        public PendingRelease(CompletableFuture<Void> answer) {
            this.answer = answer;
        }

        void complete(@Nullable Throwable failure) {
            if (failure == null) {
                answer.complete(null);
            } else {
                answer.completeExceptionally(failure);
            }
        }

        @Override
        public void subscribe(UniSubscriber<? super Void> subscriber) {
            Subscription subscription = new Subscription();
            subscriber.onSubscribe(subscription);
            answer.whenComplete((nothing, failure) -> {
                if (subscription.cancelled) {
                    return;
                }
                if (failure == null) {
                    subscriber.onItem(null);
                } else {
                    subscriber.onFailure(failure);
                }
            });
        }

        /** Completes as the other release does. */
        public void follow(Uni<Void> release) {
            answer(release).whenComplete((nothing, failure) -> complete(failure));
        }

        /**
         * Completes with the last of them; fails as the first failed one does. Mutiny is not used here: it would complete what
         * is waited for within the caller's contexts, such as its transaction.
         */
        static Uni<Void> all(List<Uni<Void>> releases) {
            if (releases.size() < 2) {
                return releases.isEmpty() ? Nothing.UNI : releases.get(0);
            }
            var all = new PendingRelease();
            var first = new AtomicReference<@Nullable Throwable>();
            var open = new AtomicInteger(releases.size());
            for (Uni<Void> release : releases) {
                whenDone(release, failure -> {
                    if (failure != null) {
                        first.compareAndSet(null, failure);
                    }
                    if (open.decrementAndGet() == 0) {
                        all.complete(first.get());
                    }
                });
            }
            return all;
        }

        /** Calls back once with the failure or {@code null}: at once, or on the thread that brings the answer. */
        static void whenDone(Uni<Void> release, Consumer<@Nullable Throwable> then) {
            if (release instanceof PendingRelease pending) {
                pending.answer.whenComplete((nothing, failure) -> then.accept(failure));
            } else {
                then.accept(null);
            }
        }

        /** A future to wait for. A release of this class has one at hand, without the cost of Mutiny's own way of waiting. */
        public static CompletableFuture<Void> answer(Uni<Void> release) {
            return release instanceof PendingRelease pending ? pending.answer : release.subscribeAsCompletionStage();
        }

        private static final class Subscription implements UniSubscription {

            private volatile boolean cancelled;

            @Override
            public void cancel() {
                cancelled = true;
            }
        }
    }
}
