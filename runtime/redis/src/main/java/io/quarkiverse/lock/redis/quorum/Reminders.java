package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.vertx.redis.client.Response;

/**
 * Tells a server of grants that a majority has just renewed but that it does not know, because it has lost its data and sat out
 * since, or could not be reached when they were granted. Without this, servers that lose their data one after another would in
 * the end have forgotten all grants. Event loop only.
 */
final class Reminders {

    private final QuorumKeys keys;

    Reminders(QuorumKeys keys) {
        this.keys = keys;
    }

    /** @param latestMillis when it is too late, by the server's clock: a request may be in flight for long */
    void send(QuorumServer server, List<QuorumGrant> grants, long latestMillis) {
        server.send(new Remind(server, grants, latestMillis));
    }

    private final class Remind extends ServerCall {

        private final List<QuorumGrant> grants;
        private final long latestMillis;

        Remind(QuorumServer server, List<QuorumGrant> grants, long latestMillis) {
            super(server, Script.QUORUM_REMIND);
            this.grants = grants;
            this.latestMillis = latestMillis;
            grants.forEach(grant -> grant.asks().sent(server)); // one that arrives after its release must find a tombstone
        }

        @Override
        public List<String> keys() {
            var all = new ArrayList<String>(1 + 2 * grants.size());
            all.add(keys.marker());
            for (QuorumGrant grant : grants) {
                all.add(keys.key(grant.name()));
                all.add(keys.tombstone(grant.claim()));
            }
            return all;
        }

        @Override
        public List<String> args() {
            var all = new ArrayList<String>(5 + 5 * grants.size());
            all.addAll(List.of(keys.retention(), keys.toldLongestLease(), String.valueOf(latestMillis), keys.channel().name(),
                    keys.owner()));
            for (QuorumGrant grant : grants) {
                all.add(grant.claim().token());
                all.add(String.valueOf(grant.asks().attempt()));
                all.add(String.valueOf(grant.fence()));
                all.add(ScriptArguments.millis(grant.leaseNanos()));
                all.add(String.valueOf(grant.leaseRequests));
            }
            return all;
        }

        @Override
        public void answered(Response reply) {
            settled();
        }

        @Override
        public void failed(RedisFailure failure) {
            if (failure.fate() != RedisFailure.Fate.NO_REPLY) {
                settled();
            }
        }

        private void settled() {
            grants.forEach(grant -> grant.asks().over(server));
        }
    }
}
