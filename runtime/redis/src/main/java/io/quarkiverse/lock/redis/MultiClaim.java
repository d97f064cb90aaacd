package io.quarkiverse.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import io.vertx.redis.client.Response;

/**
 * The answer to several claims that are made in one call: a grant for each, or none. It is asked once; without a good answer
 * the claims are withdrawn, and whoever makes them tries another way. No emitter, as {@link ClaimUni}.
 */
final class MultiClaim extends AbstractUni<List<? extends Grant>> {

    private final RedisLockBackend backend;
    /** All alike but for their names. */
    private final List<Claim> claims;

    MultiClaim(RedisLockBackend backend, List<Claim> claims) {
        this.backend = backend;
        this.claims = claims;
    }

    @Override
    public void subscribe(UniSubscriber<? super List<? extends Grant>> subscriber) {
        var ask = new Ask(subscriber);
        subscriber.onSubscribe(ask);
        backend.link().run(ask::start);
    }

    /** Event loop only, but for {@link #cancel}. */
    private final class Ask extends ReplicatedCall implements UniSubscription {

        private final UniSubscriber<? super List<? extends Grant>> subscriber;
        private final Attempts attempts = new Attempts(backend.link().options().ordered());
        private final AtomicBoolean cancelled = new AtomicBoolean();
        private boolean settled;
        private boolean started;
        /** How often it was written: all calls of a write are written again when one of them was refused. */
        private int runs;
        private long sentAt;

        Ask(UniSubscriber<? super List<? extends Grant>> subscriber) {
            super(Script.TOGETHER);
            this.subscriber = subscriber;
        }

        void start() {
            if (!settled) {
                started = true;
                backend.known().askingTogether();
                backend.link().send(this);
            }
        }

        @Override
        public void cancel() {
            if (cancelled.compareAndSet(false, true)) {
                backend.link().run(this::undo);
            }
        }

        private void undo() {
            settle();
            forget();
            for (Claim claim : claims) {
                backend.known().forget(claim);
            }
            withdraw();
        }

        /** @return whether what it was granted is to be checked once it is handed out; the first time only */
        private boolean settle() {
            settled = true;
            if (!started) {
                return false;
            }
            started = false;
            return backend.known().askedTogether();
        }

        private void withdraw() {
            if (attempts.any()) {
                for (Claim claim : claims) {
                    backend.withdraw(backend.keys().of(claim.name()), claim, attempts);
                }
            }
        }

        @Override
        void writing() {
            runs++;
            attempts.sent();
            sentAt = backend.time().nanoTime();
        }

        @Override
        boolean mayGoTogether() {
            return backend.mayGoTogether();
        }

        @Override
        boolean asks() {
            return true;
        }

        /** Not behind the request that has ended the claims. */
        @Override
        boolean wanted() {
            return !settled;
        }

        @Override
        List<String> keys() {
            var keys = new ArrayList<String>(claims.size());
            for (Claim claim : claims) {
                keys.add(backend.keys().of(claim.name()));
            }
            return keys;
        }

        @Override
        List<String> args() {
            Claim first = claims.get(0);
            var args = new ArrayList<String>(7 + claims.size());
            args.add(backend.retention());
            args.add(backend.cluster());
            args.add(PendingClaim.mode(first));
            args.add(String.valueOf(first.limit()));
            args.add(backend.link().channel());
            args.add(backend.millis(first.leaseNanos()));
            args.add(backend.owner());
            for (Claim claim : claims) {
                args.add(claim.token());
            }
            return args;
        }

        @Override
        boolean promises(Response reply) {
            return granted(reply);
        }

        private static boolean granted(Response reply) {
            return reply.get(0).toString().equals("GRANTED");
        }

        @Override
        void answered(Response reply) {
            attempts.replied();
            boolean missed = settle();
            if (!granted(reply) && runs > 1) {
                withdraw(); // an earlier run may have been granted them, before one of them was lost
            }
            List<RedisGrant> grants = new ArrayList<>(claims.size());
            for (int i = 0; granted(reply) && i < claims.size(); i++) {
                var grant = new RedisGrant(claims.get(i), attempts.allAnswered(), AcquireReply.fence(reply.get(i + 1)), sentAt);
                backend.known().granted(grant);
                grants.add(grant);
            }
            subscriber.onItem(grants);
            for (RedisGrant grant : grants) {
                backend.waiters(grant, false, grant.fence()); // there was nobody, or they would not have been granted
            }
            if (missed && !grants.isEmpty()) {
                backend.listener().recheck();
            }
        }

        @Override
        void unacknowledged(Response reply, RedisFailure why) {
            attempts.replied();
            giveUp(why);
        }

        @Override
        void failed(RedisFailure failure) {
            if (failure.fate() == RedisFailure.Fate.NO_REPLY) {
                attempts.failedWithoutReply();
            } else {
                attempts.replied();
            }
            giveUp(failure);
        }

        /** First, so that the server has forgotten these claims when it hears of the next. */
        private void giveUp(RedisFailure failure) {
            settle();
            withdraw();
            subscriber.onFailure(backend.explain().failure(claims.get(0).name(), failure));
        }
    }
}
