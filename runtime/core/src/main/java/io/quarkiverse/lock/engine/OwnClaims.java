package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/**
 * What this JVM asks of one name: a claim for the first in line, and one for each hold that asks by itself; and what comes of
 * a grant. Changed under the guard.
 */
abstract sealed class OwnClaims extends OwnLeases permits HandOver {

    /** In place of how many ask by themselves. */
    private static final int RETIRED = -1;

    final String name;
    final LockEngine engine;

    @Nullable
    ClaimAttempt attempt;
    /** How many ask by themselves, each with an attempt of its own. */
    int alone;

    OwnClaims(String name, LockEngine engine) {
        this.name = name;
        this.engine = engine;
    }

    /** Whether there is nothing of this name here, and nothing under way. */
    private boolean atRest() {
        return lease() == null && attempt == null && isEmpty() && alone == 0;
    }

    /**
     * For a hold that is asked for together with holds of other names, if there is nothing of this name here.
     * {@link NameQueue#grantedAlone} or {@link NameQueue#refusedAlone} must follow.
     */
    boolean enterTogether() {
        lock();
        try {
            boolean free = atRest();
            if (free) {
                alone++;
            }
            return free;
        } finally {
            unlock();
        }
    }

    /** Nobody is overtaken by who does not go together with them. */
    final boolean anyInTheWayOf(LoneHold hold) {
        for (Hold waiting = first(); waiting != null; waiting = waiting.next) {
            if (!waiting.settings.goesWith(hold.settings)) {
                return true;
            }
        }
        return false;
    }

    final boolean grantedNow(Hold hold) {
        if (engine.inMemory() == null) {
            return false;
        }
        Grant grant = engine.inMemory().acquireNow(claimFor(hold));
        if (grant == null) {
            return false;
        }
        install(grant, hold, Sent.clockGap(engine.time()));
        return true;
    }

    final Claim claimFor(Hold hold) {
        return engine.claims().make(name, hold.settings);
    }

    /** {@code null} if nobody waits, or is asked for already, or while the name is ours alone. */
    final @Nullable ClaimAttempt claimForFirst() {
        Hold first = first();
        if (first == null || attempt != null || heldAlone()) {
            return null;
        }
        attempt = new ClaimAttempt(queue(), claimFor(first), engine.time(),
                first.waitsHereFor(engine.backend().operationTimeout()));
        return attempt;
    }

    final void install(Grant grant, Hold hold, long clockGap) {
        long now = engine.time().nanoTime();
        Lease granted = hold.settings.exclusive() ? new Lease(queue(), grant, hold, clockGap, engine.time())
                : new JointLease(queue(), grant, hold, clockGap, engine.time());
        if (hold.grant(granted, now)) {
            add(granted);
            if (!grant.provisional()) {
                engine.renewals().added(granted);
            }
        }
    }

    /** A grant whose answer was long on the way may be as good as over, and others may have been granted since. */
    final boolean worthHaving(Grant grant) {
        if (!goesWithAll(grant.claim())) {
            return false;
        }
        long granted = Lease.granted(grant, engine);
        long left = grant.sentAt() + granted - engine.time().nanoTime();
        return left >= granted / 4;
    }

    /** To be called when the guard is free. */
    final void startOrRest(@Nullable ClaimAttempt toStart) {
        if (toStart != null) {
            toStart.start(engine.backend());
        } else {
            engine.names().idle(queue());
        }
    }

    /** Whether this queue has left the table. */
    final boolean retired() {
        return alone == RETIRED;
    }

    /** Takes the queue out of use if nothing is going on. */
    boolean retire() {
        lock();
        try {
            if (atRest()) {
                alone = RETIRED;
            }
            return alone == RETIRED;
        } finally {
            unlock();
        }
    }

    private NameQueue queue() {
        return (NameQueue) this;
    }
}
