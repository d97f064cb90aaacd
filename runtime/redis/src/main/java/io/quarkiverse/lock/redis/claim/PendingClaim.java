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
 * A claim until it is answered. It asks, and if it has to wait it asks again at the earliest expiry it knows of, after each
 * doubt, and at least every second (the poke); in between a grant may be pushed to it. Event loop only, but for
 * {@link #cancel}. Its own Uni instead of an emitter of Mutiny's: an emitter forgets an item which it emits while the
 * subscriber cancels, and with it a grant that nobody would release.
 */
public final class PendingClaim extends AbstractUni<Answer> implements UniSubscription {

    /** As long as the server keeps a pushed grant, unless its lease is shorter; see head.lua. */
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
    /** By when a claim that does not wait has its answer. */
    private long deadline;
    private boolean over;
    private @Nullable Ask asking;
    private boolean askAgain;
    /** Whether everything was checked while the question on its way was. */
    private boolean missedCheck;
    private LockTime.@Nullable Timer poke;
    private boolean queued;
    /** When the last request that was answered with QUEUED was sent: what a pushed grant's time counts from. */
    private long queuedSentAt;
    /** The last fence when it was answered: a pushed grant below is of an earlier life of this claim. */
    private long queuedFence;
    private long pushedFence;
    /** Then nothing was granted: a message with a grant is from before that, or from after it, which an answer has to say. */
    private boolean inGrace;
    private int waitersThen;
    /** The last ticket when somebody was known to wait for what this claim was granted. */
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

    /** Asks now; after the answer to the question on its way, if there is one. */
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

    /** Everything is checked. What is granted by the question on its way may not have said where messages go. */
    void recheck() {
        missedCheck |= asking != null;
        ask();
    }

    /** A message says that the claim was granted under this fence, and how many still waited then. */
    void pushed(long fence, int waiters) {
        if (!over) {
            pushedFence = Math.max(pushedFence, fence);
            waitersThen = waiters;
            if (queued) {
                takePushed();
            }
        }
    }

    /** A message says that somebody waits for what this claim was granted; the reply with the grant is still on its way. */
    void waitedFor(long ticket) {
        waitedFor = Math.max(waitedFor, ticket);
    }

    /** As {@link #waitedFor}: the grant under this fence has been ended by force. */
    void ended(long fence) {
        endedFence = fence;
    }

    /**
     * A pushed grant counts from the last request that found the claim waiting, which was before it. A message that is not
     * newer than that request's answer tells of a grant that has ended since.
     */
    private void takePushed() {
        if (pushedFence <= queuedFence) {
            return;
        }
        long kept = Math.min(CLAIM_LEASE, claim.leaseNanos());
        long left = queuedSentAt + kept - kept / 10 - time.nanoTime();
        // Else it is better confirmed before it is handed out
        if (left >= kept / 3 && !inGrace && connections.options().replicaAcks() == 0) {
            forgetUnwritten();
            var grant = new RedisGrant(claim, errors, asking == null ? attempts.allAnswered() : attempts, pushedFence,
                    queuedSentAt, kept);
            handOut(grant, waitersThen);
        } else {
            pushedFence = 0; // the answer says whether it is so; a message of what was lost would be asked about for ever
            ask();
        }
    }

    /** It would come behind the end of the claim, and maybe to another server. */
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
        cancelPoke(); // only now: somebody waits for what is above
    }

    private void fail(Throwable failure) {
        over = true;
        cancelPoke();
        registry.settled(this);
        try {
            subscriber.onFailure(failure);
        } finally {
            withdraw();
        }
    }

    /**
     * Nobody wants the answer, or will take it: a subscriber that has taken it does not cancel any more. So this undoes a grant
     * that was handed out at the same moment.
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
        withdraw();
    }

    private void withdraw() {
        if (attempts.any()) {
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
                var grant = new RedisGrant(claim, errors, attempts.allAnswered(), reply.fence(), sentAt);
                handOut(grant, reply.waiters());
                if (missedCheck) {
                    registry.recheckGrants();
                }
            }
            case BUSY -> settle(new Busy(reply.inTheWay()));
            case QUEUED -> waitOn(reply, sentAt);
            case GONE -> fail(new IllegalStateException("Claim " + claim + " was withdrawn before"));
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
                pokeIn(Math.min(expiry, LONGEST_POKE - LONGEST_POKE / 10) + random(LONGEST_POKE / 10));
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
            // Under the same token, so that a grant whose reply was lost is found again.
            claim.trouble(trouble);
            pokeIn(TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180)));
        }
    }

    private void pokeIn(long nanos) {
        cancelPoke();
        poke = time.schedule(nanos, () -> connections.run(this::ask));
    }

    private void cancelPoke() {
        if (poke != null) {
            poke.cancel();
            poke = null;
        }
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
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

        /** What the server has said before counts until it could not be asked in time. */
        @Override
        public void delayed(RedisFailure why) {
            if (!over && !claim.taken()) {
                claim.trouble(errors.unreachable(claim.name(), why));
            }
        }

        /** Not behind the request that has ended the claim. */
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

        /** It is this claim's at the server, so it is asked for again until replicas have it, or nobody wants it any more. */
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
