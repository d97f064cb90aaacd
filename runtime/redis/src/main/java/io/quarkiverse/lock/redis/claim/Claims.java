package io.quarkiverse.lock.redis.claim;

import java.util.List;

import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Makes claims, alone or several in one call. Their answers are not emitters of Mutiny's: an emitter forgets an item which it
 * emits while the subscriber cancels, and with it a grant that nobody would release.
 */
public final class Claims {

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final LockTime time;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;

    public Claims(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors, LockTime time,
            ClaimRegistry registry, PendingWithdrawals withdrawals) {
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
        this.time = time;
        this.registry = registry;
        this.withdrawals = withdrawals;
    }

    public Uni<Answer> acquire(Claim claim) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                var pending = new PendingClaim(connections, arguments, errors, time, registry, withdrawals, claim, subscriber);
                subscriber.onSubscribe(pending);
                connections.run(pending::start);
            }
        };
    }

    /** @param claims all alike but for their names */
    public Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super List<? extends Grant>> subscriber) {
                var call = new MultiClaim(connections, arguments, errors, time, registry, withdrawals, claims, subscriber);
                subscriber.onSubscribe(call);
                connections.run(call::start);
            }
        };
    }
}
