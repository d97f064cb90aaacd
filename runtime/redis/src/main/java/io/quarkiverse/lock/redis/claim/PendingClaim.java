package io.quarkiverse.lock.redis.claim;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.Script.AcquireReply;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import io.vertx.redis.client.Response;

/**
 * A claim until it is answered. It asks, and if it has to wait, it asks again at the earliest expiry it knows of, after each
 * doubt, and at least every second (the poke); in between, a grant may be pushed to it. Event loop only, except
 * {@link #cancel}. It is its own Uni, not a Mutiny emitter: an emitter drops an item that it emits while the subscriber
 * cancels, and then nobody would release the grant.
 */
public final class PendingClaim extends AbstractUni<Answer> implements UniSubscription {

    /** How long the server keeps a pushed grant, unless its lease is shorter; see head.lua. */
    public static final long CLAIM_LEASE = TimeUnit.SECONDS.toNanos(3);
    private static final long LONGEST_POKE = TimeUnit.SECONDS.toNanos(1);

    private static final AtomicIntegerFieldUpdater<PendingClaim> CANCELLED = AtomicIntegerFieldUpdater
            .newUpdater(PendingClaim.class, "cancelled");

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final LockTime time;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;
    private final Claim claim;
    private final String key;
    private final String token;
    private UniSubscriber<? super Answer> subscriber;
    private volatile int cancelled;
    private final Attempts attempts;
    /** The time by which a claim that does not wait must be answered. */
    private long deadline;
    private boolean over;
    private @Nullable Ask asking;
    private boolean askAgain;
    /** Whether everything was rechecked while the present request was in flight. */
    private boolean missedCheck;
    private LockTime.@Nullable Timer poke;
    private boolean queued;
    /** When the last request answered with QUEUED was sent: a pushed grant counts from then. */
    private long queuedSentAt;
    /** The last fence when it was answered: a pushed grant below it is of an earlier life of this claim. */
    private long queuedFence;
    private long pushedFence;
    /** In a grace nothing is granted. A message about a grant is from before or after it, and only an answer can tell which. */
    private boolean inGrace;
    private int waitersThen;
    /** The last ticket when somebody was known to wait for the grant of this claim. */
    private long waitedFor;
    private long endedFence;

    public PendingClaim(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors, LockTime time,
            ClaimRegistry registry, PendingWithdrawals withdrawals, Claim claim) {
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
        this.time = time;
        this.registry = registry;
        this.withdrawals = withdrawals;
        this.claim = claim;
        this.key = arguments.key(claim.name());
        this.token = claim.token();
        this.attempts = new Attempts(connections.ordered());
    }

    @Override
    public void subscribe(UniSubscriber<? super Answer> subscriber) {
        this.subscriber = subscriber;
        if (!claim.waits()) {
            deadline = System.nanoTime() + connections.options().operationTimeout().toNanos();
        }
        subscriber.onSubscribe(this);
        connections.run(this::start);
    }

    Claim claim() {
        return claim;
    }

    private void start() {
        if (!over) {
            registry.pending(this);
            ask();
        }
    }

    /** Asks now, or after the answer to the request in flight, if there is one. */
    void ask() {
        if (over) {
            return;
        }
        cancelPoke();
        if (asking != null) {
            askAgain = true;
            return;
        }
        askAgain = false;
        missedCheck = false;
        asking = new Ask();
        if (!claim.waits()) {
            asking.deadline = deadline;
        }
        connections.send(asking);
    }

    /** Everything is being checked. The request in flight may be granted although it did not say where messages go. */
    void recheck() {
        missedCheck |= asking != null;
        ask();
    }

    /** A message says that the claim was granted under this fence, and how many others still waited then. */
    void pushed(long fence, int waiters) {
        if (!over) {
            pushedFence = Math.max(pushedFence, fence);
            waitersThen = waiters;
            if (queued) {
                takePushed();
            }
        }
    }

    /** A message says that somebody waits for the grant of this claim, whose reply is still on its way. */
    void waitedFor(long ticket) {
        waitedFor = Math.max(waitedFor, ticket);
    }

    /** Like {@link #waitedFor}: the grant under this fence was released by force. */
    void ended(long fence) {
        endedFence = fence;
    }

    /**
     * A pushed grant counts from the last request that found the claim waiting, which came before it. A message that is not
     * newer than the answer to that request is about a grant that has ended since.
     */
    private void takePushed() {
        if (pushedFence <= queuedFence) {
            return;
        }
        long kept = Math.min(CLAIM_LEASE, claim.leaseNanos());
        long left = queuedSentAt + kept - kept / 10 - time.nanoTime();
        // Otherwise it is better confirmed before it is handed out
        if (left >= kept / 3 && !inGrace && connections.options().replicaAcks() == 0) {
            forgetUnwritten();
            var grant = new RedisGrant(claim, connections.options(), asking == null ? attempts.allAnswered() : attempts,
                    pushedFence, queuedSentAt, kept);
            handOut(grant, waitersThen);
        } else {
            pushedFence = 0; // the answer tells; otherwise a message about a lost grant would be asked about forever
            ask();
        }
    }

    /** A request not yet written would arrive after the end of the claim, and maybe at another server. */
    private void forgetUnwritten() {
        if (asking != null && !asking.written) {
            asking.forget();
            asking = null;
        }
    }

    private void handOut(RedisGrant grant, int waiters) {
        settle(grant);
        registry.waiters(grant, waiters > 0, grant.fence());
        if (waitedFor > 0) {
            registry.waiters(grant, true, waitedFor);
        }
        if (endedFence == grant.fence()) {
            registry.ended(grant);
        }
    }

    private void settle(Answer answer) {
        over = true;
        registry.settled(this);
        if (answer instanceof RedisGrant grant) {
            registry.granted(grant);
        }
        subscriber.onItem(answer);
        cancelPoke(); // last, because somebody is waiting for the answer
    }

    private void fail(Throwable failure) {
        over = true;
        cancelPoke();
        registry.settled(this);
        try {
            subscriber.onFailure(failure);
        } finally {
            withdraw(attempts.any());
        }
    }

    /**
     * Nobody wants the answer or will take it, since a subscriber that has taken it no longer cancels. So this also undoes a
     * grant that was handed out at the same moment.
     */
    @Override
    public void cancel() {
        if (CANCELLED.compareAndSet(this, 0, 1)) {
            connections.run(this::undo);
        }
    }

    private void undo() {
        over = true;
        cancelPoke();
        registry.settled(this);
        registry.forget(claim);
        forgetUnwritten();
        withdraw(attempts.any());
    }

    private void withdraw(boolean needed) {
        if (needed) {
            withdrawals.add(claim, attempts);
        }
    }

    private void replied(AcquireReply reply, long sentAt) {
        connections.graceLeft(reply.graceMillis());
        if (over) {
            return;
        }
        claim.trouble(null);
        switch (reply.status()) {
            case GRANTED -> {
                var grant = new RedisGrant(claim, connections.options(), attempts.allAnswered(), reply.fence(), sentAt);
                handOut(grant, reply.waiters());
                if (missedCheck) {
                    registry.recheckGrants();
                }
            }
            case BUSY -> {
                withdraw(attempts.mayComeLate()); // an earlier request would be granted the name once it is free
                settle(new Busy(reply.inTheWay()));
            }
            case QUEUED -> waitOn(reply, sentAt);
            case GONE -> fail(new IllegalStateException("Claim " + claim + " was already withdrawn"));
            case FORMAT -> fail(errors.format(claim.name(), String.valueOf(reply.heldBy())));
        }
    }

    private void waitOn(AcquireReply reply, long sentAt) {
        if (reply.heldBy() == null) {
            claim.heldBy(reply.inTheWay());
        } else {
            claim.heldBy(reply.heldBy(), time.nanoTime() - TimeUnit.MILLISECONDS.toNanos(reply.heldMillis()));
        }
        queued = true;
        queuedSentAt = sentAt;
        queuedFence = reply.fence();
        inGrace = reply.graceMillis() > 0;
        takePushed();
        if (!over && asking == null) {
            if (askAgain) {
                ask();
            } else {
                long expiry = TimeUnit.MILLISECONDS.toNanos(reply.nextExpiryMillis());
                pokeIn(Math.min(expiry, LONGEST_POKE - LONGEST_POKE / 10), LONGEST_POKE / 10);
            }
        }
    }

    private void failed(RedisFailure failure) {
        if (over) {
            return;
        }
        var trouble = errors.failure(claim.name(), failure);
        boolean useless = failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary();
        if (useless || failure.hopeless() || !claim.waits() && deadline - System.nanoTime() <= 0) {
            fail(trouble);
        } else {
            // Asks again under the same token, so that a grant whose reply was lost is found.
            claim.trouble(trouble);
            pokeIn(TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(180));
        }
    }

    private void pokeIn(long nanos, long spread) {
        cancelPoke();
        poke = time.schedule(nanos + ThreadLocalRandom.current().nextLong(spread), () -> connections.run(this::ask));
    }

    private void cancelPoke() {
        if (poke != null) {
            poke.cancel();
            poke = null;
        }
    }

    private final class Ask extends ScriptCall.Replicated {

        private long sentAt;
        private boolean written;

        Ask() {
            super(Script.ACQUIRE, arguments.marker());
        }

        @Override
        public void writing() {
            attempts.sent();
            written = true;
            sentAt = time.nanoTime();
        }

        @Override
        public boolean mayGoTogether() {
            return arguments.mayShareWrite();
        }

        @Override
        public boolean asks() {
            return true;
        }

        @Override
        public List<String> keys() {
            return List.of(key);
        }

        @Override
        public List<String> args() {
            return List.of(arguments.retention(), arguments.cluster(), token, ScriptArguments.mode(claim),
                    String.valueOf(claim.limit()), connections.channel(), ScriptArguments.millis(claim.leaseNanos()),
                    claim.waits() ? "1" : "0", arguments.owner());
        }

        /** What the server said before stays valid until it cannot be asked in time. */
        @Override
        public void delayed(RedisFailure why) {
            if (!over && !claim.taken()) {
                claim.trouble(errors.unreachable(claim.name(), why));
            }
        }

        /** Never sent after the request that ended the claim. */
        @Override
        public boolean wanted() {
            return !over;
        }

        @Override
        public boolean promises(Response response) {
            return AcquireReply.of(response).status() == AcquireReply.Status.GRANTED;
        }

        @Override
        public void answered(Response response) {
            attempts.replied();
            asking = null;
            replied(AcquireReply.of(response), sentAt);
        }

        /** The server has granted this claim, which asks again until the replicas have that or nobody wants it any more. */
        @Override
        public void unacknowledged(Response response, RedisFailure why) {
            attempts.replied();
            asking = null;
            PendingClaim.this.failed(why);
        }

        @Override
        public void failed(RedisFailure failure) {
            if (failure.fate() == RedisFailure.Fate.NO_REPLY) {
                attempts.failedWithoutReply();
            } else {
                attempts.replied();
            }
            asking = null;
            PendingClaim.this.failed(failure);
        }
    }
}
