package io.quarkiverse.lock.redis.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.Script.AcquireReply;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import io.vertx.redis.client.Response;

/**
 * Several claims that are made in one call: a grant for each, or none. It asks once; without a good answer the claims are
 * withdrawn, and the caller tries another way. Event loop only, except {@link #cancel}.
 */
public final class MultiClaim extends ScriptCall.Replicated implements UniSubscription {

    private static final AtomicIntegerFieldUpdater<MultiClaim> CANCELLED = AtomicIntegerFieldUpdater
            .newUpdater(MultiClaim.class, "cancelled");

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final LockTime time;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;
    /** They differ only in their names. */
    private final List<Claim> claims;
    private final UniSubscriber<? super List<? extends Grant>> subscriber;
    private final Attempts attempts;
    private volatile int cancelled;
    private boolean settled;
    private boolean started;
    /** How often it was written: if one call of a write is refused, all are written again. */
    private int runs;
    private long sentAt;

    public MultiClaim(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors, LockTime time,
            ClaimRegistry registry, PendingWithdrawals withdrawals, List<Claim> claims,
            UniSubscriber<? super List<? extends Grant>> subscriber) {
        super(Script.TOGETHER, arguments.marker());
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
        this.time = time;
        this.registry = registry;
        this.withdrawals = withdrawals;
        this.claims = claims;
        this.attempts = new Attempts(connections.ordered());
        this.subscriber = subscriber;
    }

    /** This is its own subscription, for the same reason as {@link PendingClaim}. */
    public void subscribe() {
        subscriber.onSubscribe(this);
        connections.run(this::start);
    }

    private void start() {
        if (!settled) {
            started = true;
            registry.askingTogether();
            connections.send(this);
        }
    }

    @Override
    public void cancel() {
        if (CANCELLED.compareAndSet(this, 0, 1)) {
            connections.run(this::undo);
        }
    }

    private void undo() {
        settle();
        if (runs == 0) {
            forget(); // otherwise its failure still tells that it may come late
        }
        for (Claim claim : claims) {
            registry.forget(claim);
        }
        withdraw();
    }

    /** @return whether its grants must be checked once they are handed out; {@code false} from the second call on */
    private boolean settle() {
        settled = true;
        if (!started) {
            return false;
        }
        started = false;
        return registry.askedTogether();
    }

    private void withdraw() {
        if (attempts.any()) {
            for (Claim claim : claims) {
                withdrawals.add(claim, attempts);
            }
        }
    }

    @Override
    public void writing() {
        runs++;
        attempts.sent();
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

    /** Never sent after the request that ended the claims. */
    @Override
    public boolean wanted() {
        return !settled;
    }

    @Override
    public List<String> keys() {
        var keys = new ArrayList<String>(claims.size());
        for (Claim claim : claims) {
            keys.add(arguments.key(claim.name()));
        }
        return keys;
    }

    @Override
    public List<String> args() {
        Claim first = claims.get(0);
        var args = new ArrayList<String>(7 + claims.size());
        args.add(arguments.retention());
        args.add(arguments.cluster());
        args.add(ScriptArguments.mode(first));
        args.add(String.valueOf(first.limit()));
        args.add(connections.channel());
        args.add(ScriptArguments.millis(first.leaseNanos()));
        args.add(arguments.owner());
        for (Claim claim : claims) {
            args.add(claim.token());
        }
        return args;
    }

    @Override
    public boolean promises(Response reply) {
        return granted(reply);
    }

    private static boolean granted(Response reply) {
        return reply.get(0).toString().equals("GRANTED");
    }

    @Override
    public void answered(Response reply) {
        attempts.replied();
        if (settled) {
            return; // cancelled, and withdrawn
        }
        boolean missed = settle();
        if (!granted(reply) && runs > 1) {
            withdraw(); // an earlier run may have been granted them, before one of them was lost
        }
        List<RedisGrant> grants = new ArrayList<>(claims.size());
        for (int i = 0; granted(reply) && i < claims.size(); i++) {
            var grant = new RedisGrant(claims.get(i), connections.options(), attempts.allAnswered(),
                    AcquireReply.fence(reply.get(i + 1)), sentAt);
            registry.granted(grant);
            grants.add(grant);
        }
        subscriber.onItem(grants);
        for (RedisGrant grant : grants) {
            registry.waiters(grant, false, grant.fence()); // nobody waited, or they would not have been granted
        }
        if (missed && !grants.isEmpty()) {
            registry.recheckGrants();
        }
    }

    @Override
    public void unacknowledged(Response reply, RedisFailure why) {
        attempts.replied();
        giveUp(why);
    }

    @Override
    public void failed(RedisFailure failure) {
        if (failure.fate() == RedisFailure.Fate.NO_REPLY) {
            attempts.failedWithoutReply();
        } else {
            attempts.replied();
        }
        giveUp(failure);
    }

    /** Withdraws first, so that the server has forgotten these claims when it hears of the next. */
    private void giveUp(RedisFailure failure) {
        if (settled) {
            return;
        }
        settle();
        withdraw();
        subscriber.onFailure(errors.failure(claims.get(0).name(), failure));
    }
}
