package io.quarkiverse.lock.redis.quorum;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;

/**
 * Gives grants back, at once or some time from now: at all servers, and done once a majority has released them. What the others
 * have is taken from them later, or expires: a minority keeps nobody out. Event loop only.
 */
final class QuorumReleases {

    private final QuorumServers servers;
    private final Returns returns;
    private final QuorumErrors errors;
    private final LockTime time;
    private final Claims claims;

    QuorumReleases(QuorumServers servers, Returns returns, QuorumErrors errors, LockTime time, Claims claims) {
        this.servers = servers;
        this.returns = returns;
        this.errors = errors;
        this.time = time;
        this.claims = claims;
    }

    void release(QuorumGrant grant, Outcome<Void> outcome) {
        new Release(grant, outcome).send(Returns.AT_ONCE);
    }

    void releaseAfter(QuorumGrant grant, long nanos, Outcome<Void> outcome) {
        long end = time.nanoTime() + nanos;
        new Release(grant, outcome).send(() -> {
            long left = end - time.nanoTime();
            return left > 0 ? ScriptArguments.millis(left) : "0";
        });
    }

    private final class Release implements Returns.Watcher {

        private final QuorumGrant grant;
        private final Outcome<Void> outcome;
        private final Map<QuorumServer, String> failures = new LinkedHashMap<>(0);
        private final boolean lostIfGone;
        private int had;
        private int hadNot;
        private int unknown;

        Release(QuorumGrant grant, Outcome<Void> outcome) {
            this.grant = grant;
            this.outcome = outcome;
            this.lostIfGone = !grant.releaseTried && grant.keptAt(time.nanoTime());
            grant.releaseTried = true;
            claims.forget(grant); // whatever comes of it: this may never be answered
        }

        void send(Supplier<String> keepMillis) {
            returns.everywhere(grant.claim(), grant.asks(), keepMillis, this);
        }

        @Override
        public void answered(@Nullable Boolean was) {
            if (was == null) {
                unknown++;
            } else if (was) {
                had++;
            } else {
                hadNot++;
            }
            decide();
        }

        @Override
        public void failed(QuorumServer server, RedisFailure failure) {
            failures.put(server, errors.failure(server, failure));
            decide();
        }

        private void decide() {
            int all = servers.all().size();
            int answered = had + hadNot + unknown;
            if (had >= servers.majority()) {
                outcome.complete(null);
            } else if (all - hadNot < servers.majority()) {
                if (lostIfGone) {
                    outcome.fail(new LockLostException(grant.name(),
                            "it had ended at a majority of the servers before its release", null));
                } else {
                    outcome.complete(null);
                }
            } else if (answered + failures.size() == all) {
                if (answered >= servers.majority()) {
                    outcome.complete(null);
                } else {
                    outcome.fail(errors.tooFew(grant.name(), failures));
                }
            }
        }
    }
}
