package io.quarkiverse.lock.redis.operation;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.redis.claim.ClaimRegistry;
import io.quarkiverse.lock.redis.claim.RedisGrant;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.Renewal;
import io.vertx.redis.client.Response;

/** Renews grants: up to 250 in one call of the script, but in a cluster each in a call of its own. Event loop only. */
public final class GrantRenewals {

    /** Large enough to save round trips, small enough that even a slow Redis is done in a few ms. */
    public static final int BATCH = 250;

    private static final int GONE = -1;
    /** If a release is requested, the reply is this minus the number of waiters. */
    private static final int ASKED = -2;

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final LockTime time;
    private final ClaimRegistry registry;

    public GrantRenewals(RedisConnections connections, ScriptArguments arguments, LockTime time, ClaimRegistry registry) {
        this.connections = connections;
        this.arguments = arguments;
        this.time = time;
        this.registry = registry;
    }

    /** @param exactly whether they must end no later than their lease says, even if they would have lasted longer */
    public void renew(List<RedisGrant> grants, boolean exactly, Outcome<Renewal> outcome) {
        new Run(outcome, exactly).start(grants);
    }

    private final class Run {

        private final Outcome<Renewal> outcome;
        private final boolean exactly;
        private final List<RedisGrant> renewed = new ArrayList<>();
        private final List<RedisGrant> lost = new ArrayList<>();
        private final List<RedisGrant> unknown = new ArrayList<>();
        private int open;

        Run(Outcome<Renewal> outcome, boolean exactly) {
            this.outcome = outcome;
            this.exactly = exactly;
        }

        void start(List<RedisGrant> grants) {
            int size = connections.options().cluster() ? 1 : BATCH;
            open = 1;
            send(grants, size);
            done();
        }

        private void send(List<RedisGrant> grants, int size) {
            for (int i = 0; i < grants.size(); i += size) {
                open++;
                connections.send(new Renew(grants.subList(i, Math.min(i + size, grants.size()))));
            }
        }

        private void done() {
            if (--open == 0) {
                outcome.complete(new Renewal(renewed, lost, unknown));
            }
        }

        /** @param extended whether the hold may be relied on for another lease */
        private void outcome(RedisGrant grant, int reply, long ticket, boolean extended) {
            if (reply == GONE) {
                registry.gone(grant);
                lost.add(grant);
                return;
            }
            registry.waiters(grant, reply != 0 && reply != ASKED, ticket);
            if (reply <= ASKED) {
                registry.releaseRequested(grant);
            }
            (extended ? renewed : unknown).add(grant);
        }

        private final class Renew extends ScriptCall.Replicated {

            private final List<RedisGrant> grants;
            /** The grants that must end no later than this call says; most calls have none. */
            private List<RedisGrant> earlier = List.of();

            Renew(List<RedisGrant> grants) {
                super(Script.RENEW, arguments.marker());
                this.grants = grants;
            }

            @Override
            public List<String> keys() {
                var keys = new ArrayList<String>(grants.size());
                for (RedisGrant grant : grants) {
                    keys.add(arguments.key(grant.name()));
                }
                return keys;
            }

            @Override
            public List<String> args() {
                var args = new ArrayList<String>(2 + 2 * grants.size());
                args.add(arguments.retention());
                args.add(connections.channel());
                earlier = List.of();
                long leaseNanos = -1;
                String lease = "";
                for (RedisGrant grant : grants) {
                    boolean exact = exactly || grant.endsEarlier;
                    if (exact) {
                        earlier = earlier.isEmpty() ? new ArrayList<>(1) : earlier;
                        earlier.add(grant);
                    }
                    if (grant.leaseNanos() != leaseNanos) { // most have the same
                        leaseNanos = grant.leaseNanos();
                        lease = ScriptArguments.millis(leaseNanos);
                    }
                    args.add(grant.token());
                    args.add(exact || grant.lostShortenings > 0 ? marked(grant, exact, lease) : lease);
                }
                return args;
            }

            private String marked(RedisGrant grant, boolean exact, String lease) {
                return (exact ? "-" : "") + lease + (grant.lostShortenings > 0 ? "#" + grant.lostShortenings : "");
            }

            /** See {@code reclaim.lua}. */
            @Override
            public List<String> known() {
                var known = new ArrayList<String>(2 + 3 * grants.size());
                Marker marker = arguments.marker();
                known.add(marker == null ? "" : marker.incarnation());
                known.add(arguments.owner());
                long now = time.nanoTime();
                for (RedisGrant grant : grants) {
                    known.addAll(grant.known(now));
                }
                return known;
            }

            /**
             * Until this is answered, each renewal repeats the earlier end; an ordinary one would leave a later end as it is.
             */
            private void earlierEnds(boolean known) {
                for (RedisGrant grant : earlier) {
                    grant.endsEarlier = !known;
                }
            }

            @Override
            public boolean promises(Response reply) {
                return true;
            }

            @Override
            public void unacknowledged(Response reply, RedisFailure why) {
                earlierEnds(false);
                for (int i = 0; i < grants.size(); i++) {
                    if (reply.get(2 * i).toInteger() == GONE) {
                        outcome(grants.get(i), GONE, 0, false);
                    } else {
                        unknown.add(grants.get(i));
                    }
                }
                done();
            }

            @Override
            public void answered(Response reply) {
                earlierEnds(true);
                boolean extended = true;
                Marker marker = arguments.marker();
                if (marker != null && reply.size() > 2 * grants.size()) {
                    long left = reply.get(2 * grants.size()).toLong();
                    connections.graceLeft(left);
                    extended = !marker.formerMayGoOn(left);
                }
                for (int i = 0; i < grants.size(); i++) {
                    outcome(grants.get(i), reply.get(2 * i).toInteger(), reply.get(2 * i + 1).toLong(), extended);
                }
                done();
            }

            @Override
            public void failed(RedisFailure failure) {
                if (failure.fate() == RedisFailure.Fate.NO_REPLY) {
                    earlier.forEach(grant -> grant.lostShortenings++);
                }
                if (exactly) {
                    earlier = grants; // also those that were not sent
                }
                earlierEnds(false);
                if (failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary() && grants.size() > 1) {
                    // One key with unexpected content must not cost the others their locks.
                    send(grants, 1);
                } else {
                    unknown.addAll(grants);
                }
                done();
            }
        }
    }
}
