package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.support.OngoingWithdrawals;
import io.vertx.redis.client.Response;

/**
 * Gives back what claims have at the servers. At the end of a claim, this is repeated at each server until the server has
 * answered or everything of the claim has expired. Event loop only, except {@link #await}, {@link #close}, {@link #begin} and
 * {@link #end}.
 */
final class Returns {

    /** Notified of each server, once. */
    interface Watcher {

        /** @param had whether it was there; {@code null} if that is not known, since an earlier request may have removed it */
        void answered(@Nullable Boolean had);

        void failed(QuorumServer server, RedisFailure failure);
    }

    private static final Watcher NOBODY = new Watcher() {
        @Override
        public void answered(@Nullable Boolean had) {
        }

        @Override
        public void failed(QuorumServer server, RedisFailure failure) {
        }
    };

    static final Supplier<String> AT_ONCE = () -> "0";

    private final QuorumServers servers;
    private final QuorumKeys keys;
    private final OngoingWithdrawals ongoing = new OngoingWithdrawals();

    Returns(QuorumServers servers, QuorumKeys keys) {
        this.servers = servers;
        this.keys = keys;
    }

    /**
     * After a failed attempt of a claim that will make another one: only at servers where it may have something.
     *
     * @param priority if it waits, else empty
     */
    void afterAttempt(Claim claim, Asks asks, String priority, Collection<QuorumServer> yes) {
        for (QuorumServer server : servers.all()) {
            if (yes.contains(server) || asks.mayComeLate(server)) {
                server.send(new Free(server, claim, asks, priority, AT_ONCE, null, NOBODY));
            }
        }
    }

    /** The claim is over, and has no grant. */
    void withdraw(Claim claim, Asks asks) {
        everywhere(claim, asks, AT_ONCE, NOBODY);
    }

    /** @param keepMillis for how long the name stays taken from then on, asked for each request; {@code 0} to release it */
    void everywhere(Claim claim, Asks asks, Supplier<String> keepMillis, Watcher watcher) {
        for (QuorumServer server : servers.all()) {
            begin();
            var retries = ongoing.retries(claim, ReconnectingConnection.LONGEST_DELAY);
            server.send(new Free(server, claim, asks, "", keepMillis, retries, watcher));
        }
    }

    void begin() {
        ongoing.begin();
    }

    void end() {
        ongoing.end();
    }

    /** Waits for those under way, at most for that long. Not on an event loop. */
    void await(Duration longest) {
        ongoing.begin(); // tasks that are already on the event loop may begin more
        servers.run(ongoing::end);
        ongoing.await(longest);
    }

    /** After that none is repeated. */
    void close() {
        ongoing.close();
    }

    private final class Free extends ServerCall {

        private final Claim claim;
        private final Asks asks;
        private final int attempt;
        private final String priority;
        private final Supplier<String> keepMillis;
        private final OngoingWithdrawals.@Nullable Retries retries;
        private final Watcher watcher;
        private int written;

        Free(QuorumServer server, Claim claim, Asks asks, String priority, Supplier<String> keepMillis,
                OngoingWithdrawals.@Nullable Retries retries, Watcher watcher) {
            super(server, Script.QUORUM_FREE);
            this.claim = claim;
            this.asks = asks;
            this.attempt = asks.attempt();
            this.priority = priority;
            this.keepMillis = keepMillis;
            this.retries = retries;
            this.watcher = watcher;
        }

        @Override
        public void writing() {
            written++;
        }

        @Override
        public void notRun() {
            written--;
        }

        @Override
        public boolean mayGoTogether() {
            return true;
        }

        @Override
        public List<String> keys() {
            return keys.ofClaim(claim);
        }

        @Override
        public List<String> args() {
            return List.of(keys.retention(), claim.token(), String.valueOf(attempt),
                    asks.mayComeLate(server) ? keys.tombstoneMillis() : "0", keys.place(), priority, keepMillis.get());
        }

        @Override
        public void answered(Response reply) {
            boolean had = reply.toInteger() == 1;
            watcher.answered(had || written == 1 ? Boolean.valueOf(had) : null);
            settled();
        }

        @Override
        public void failed(RedisFailure failure) {
            watcher.failed(server, failure);
            OptionalLong pause = retries == null ? OptionalLong.empty() : retries.next(failure, failure.hopeless());
            if (pause.isEmpty()) {
                settled();
                return;
            }
            servers.after(pause.getAsLong(),
                    () -> server.send(new Free(server, claim, asks, priority, keepMillis, retries, NOBODY)));
        }

        private void settled() {
            if (retries != null) {
                end();
            }
        }
    }
}
