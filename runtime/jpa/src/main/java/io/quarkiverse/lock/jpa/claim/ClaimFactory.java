package io.quarkiverse.lock.jpa.claim;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.ClaimProgress;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Gives each claim of a backend the parts it needs. No part depends on this class. */
public final class ClaimFactory {

    private final Steps steps;
    private final Workers workers;
    private final CallerTurns callerTurns;
    private final Statements statements;
    private final UncontendedAcquire uncontended;
    private final @Nullable QuickSteps quickSteps;
    private final @Nullable NotificationListener notifications;
    private final Notifier notifier;
    private final DatabaseClock clock;
    private final ErrorMessages errors;
    private final LockNames names;
    private final String owner;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;
    private final JoinedLooks looks;
    private final LockTime time;

    public ClaimFactory(Steps steps, Workers workers, CallerTurns callerTurns, Statements statements,
            UncontendedAcquire uncontended, @Nullable QuickSteps quickSteps, @Nullable NotificationListener notifications,
            Notifier notifier, DatabaseClock clock, ErrorMessages errors, LockNames names, String owner,
            ClaimRegistry registry, PendingWithdrawals withdrawals, JoinedLooks looks, LockTime time) {
        this.steps = steps;
        this.workers = workers;
        this.callerTurns = callerTurns;
        this.statements = statements;
        this.uncontended = uncontended;
        this.quickSteps = quickSteps;
        this.notifications = notifications;
        this.notifier = notifier;
        this.clock = clock;
        this.errors = errors;
        this.names = names;
        this.owner = owner;
        this.registry = registry;
        this.withdrawals = withdrawals;
        this.looks = looks;
        this.time = time;
    }

    /**
     * The answer to a claim. Not an emitter: an emitter drops an item that it emits while the subscriber cancels, and the
     * dropped grant would never be released.
     */
    public Uni<Answer> answer(Claim claim) {
        return new AbstractUni<>() {

            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                PendingClaim pending = pending(claim, subscriber);
                subscriber.onSubscribe(pending);
                pending.start();
            }
        };
    }

    private PendingClaim pending(Claim claim, UniSubscriber<? super Answer> subscriber) {
        String id = names.id(claim.name());
        var attempts = new Attempts();
        var claimSteps = new ClaimSteps(claim, id, attempts, steps, statements, uncontended, quickSteps, notifications,
                notifier, clock, time, names, owner, errors);
        return new PendingClaim(claim, id, subscriber, attempts, claimSteps, new ClaimProgress(time), registry, withdrawals,
                looks, workers, callerTurns, errors);
    }
}
