package io.quarkiverse.lock.engine.lease;

import java.util.concurrent.CompletableFuture;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.ManagerProperty;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/**
 * Turns writers into readers: first in this JVM, where readers may join while the backend still keeps everybody else out, then
 * at the backend. It is asked until it answers, so that readers elsewhere are not kept out longer than necessary.
 */
public final class Downgrades {

    private static final Logger LOG = Logger.getLogger(Downgrades.class);

    private static final String USED_BY_OTHERS = "a call or a transaction around this uses it too, and needs it exclusively";

    private final LockBackend backend;
    private final LockTime time;
    private final NameTable names;
    private final Claims claims;
    private final Losses losses;
    private final Renewals renewals;
    private final HandOver handOver;
    private final Events events;
    private final ErrorMessages errors;

    public Downgrades(LockBackend backend, LockTime time, NameTable names, Claims claims, Losses losses,
            Renewals renewals, HandOver handOver, Events events, ErrorMessages errors) {
        this.backend = backend;
        this.time = time;
        this.names = names;
        this.claims = claims;
        this.losses = losses;
        this.renewals = renewals;
        this.handOver = handOver;
        this.events = events;
        this.errors = errors;
    }

    /** Starts with this call, not with the subscription, and continues even if nobody waits for it any more. */
    public Uni<Void> downgrade(LockHold hold) {
        String refusal = refusal(hold);
        if (refusal != null) {
            return Uni.createFrom().failure(refused(hold, refusal));
        }
        if (!hold.enterBesideOne()) { // so that it does not end during the change
            return Uni.createFrom().failure(hold.live() ? refused(hold, USED_BY_OTHERS) : hold.loss());
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        boolean there;
        try {
            there = begun(hold, answer);
        } finally {
            handOver.leave(hold);
        }
        if (!there) {
            answer.completeExceptionally(hold.loss());
        }
        return Uni.createFrom().completionStage(answer);
    }

    /**
     * Turns the hold into a reader's in this JVM, and asks the backend. Only then does it claim the name for readers that wait
     * here: readers elsewhere may have waited longer. Must be called by one of the hold's users.
     *
     * @return {@code false} if it has been lost
     */
    private boolean begun(LockHold hold, CompletableFuture<Void> answer) {
        NameQueue queue = hold.queue;
        Lease alone;
        JointLease joint;
        ClaimAttempt toStart;
        queue.lock();
        try {
            alone = hold.lease();
            if (!queue.has(alone)) {
                return false;
            }
            alone.grant.claim().downgrade();
            joint = new JointLease(alone);
            queue.replace(alone, joint);
            hold.downgradedTo(joint);
            toStart = claims.forFirst(queue);
        } finally {
            queue.unlock();
        }
        boolean confirmed = alone.deadline() - joint.deadline() > 0;
        joint.noLongerThanKept(); // the limit may have changed since its deadline was copied
        renewals.replaced(joint);
        if (confirmed) {
            renewals.renewNow(hold.name()); // confirmed after it was copied: its successor does not know of that
        }
        ask(hold, joint.grant, 0, answer);
        claims.startOrRest(queue, toStart);
        return true;
    }

    /** Why this hold cannot become a reader's; {@code null} if it can, unless it has ended. */
    @Nullable
    public String refusal(LockHold hold) {
        if (backend instanceof TransactionalBackend transactional) {
            return "it excludes all others until its transaction ends. " + transactional.alternative();
        }
        if (!backend.features().contains(Feature.DOWNGRADE)) {
            return "lock backend '" + backend.name() + "' has no " + Feature.DOWNGRADE
                    + ": release it and acquire it in SHARED mode, or choose another backend with "
                    + ManagerProperty.of(hold.settings.manager(), "backend");
        }
        if (!hold.settings.exclusive()) {
            return hold.settings.limit() > 0 ? "it has a limit: only an exclusive holder can let readers in"
                    : "it is already shared";
        }
        if (hold.holdAtLeastNanos() != 0) {
            return "it has holdAtLeast, which readers cannot have: first end that with changeHoldAtLeast(Duration.ZERO)";
        }
        return hold.usedByOthers() ? USED_BY_OTHERS : null;
    }

    private static IllegalStateException refused(LockHold hold, String why) {
        return new IllegalStateException("Lock '" + PrintableName.of(hold.name()) + "' cannot be downgraded: " + why);
    }

    private void ask(LockHold hold, Grant grant, int attempt, CompletableFuture<Void> answer) {
        Uni<Boolean> asked;
        try {
            asked = backend.downgrade(grant);
        } catch (RuntimeException | Error e) {
            failed(hold, grant, attempt, e, answer);
            return;
        }
        asked.subscribe().with(there -> answered(hold, grant, there, answer),
                failure -> failed(hold, grant, attempt, failure, answer));
    }

    private void answered(LockHold hold, Grant grant, boolean there, CompletableFuture<Void> answer) {
        Lease lease = names.leaseOf(grant);
        if (!there && lease != null) {
            losses.lose(lease, LossReasons.GONE);
        }
        if (there && hold.live()) {
            answer.complete(null);
        } else {
            answer.completeExceptionally(hold.loss());
        }
    }

    /** Retries until the last reader on it has left: then no writer is kept out any more. */
    private void failed(LockHold hold, Grant grant, int attempt, Throwable failure, CompletableFuture<Void> answer) {
        LOG.debugf("Lock '%s' could not be downgraded, trying again: %s", PrintableName.of(grant.name()),
                PrintableName.oneLine(failure.toString()));
        if (!names.closed() && names.leaseOf(grant) != null) {
            events.emit(Kind.RETRIED, hold, 0, "downgrade");
            time.schedule(Releases.delay(grant, attempt), () -> {
                if (names.leaseOf(grant) != null) {
                    ask(hold, grant, attempt + 1, answer);
                }
            });
        }
        answer.completeExceptionally(errors.ofBackend(grant.name(), failure));
    }
}
