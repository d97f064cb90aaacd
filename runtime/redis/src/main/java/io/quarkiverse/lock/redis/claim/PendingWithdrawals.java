package io.quarkiverse.lock.redis.claim;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.support.OngoingWithdrawals;
import io.vertx.redis.client.Response;

/**
 * Claims that nobody wants any more, until the server has forgotten them. Each is taken out of the queue, or its grant is given
 * back; this is repeated until it is answered. A withdrawal is given up only when the server does not allow it, or when
 * everything of the claim has expired there. Event loop only, except {@link #await} and {@link #close}.
 */
public final class PendingWithdrawals {

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final OngoingWithdrawals ongoing = new OngoingWithdrawals();

    public PendingWithdrawals(RedisConnections connections, ScriptArguments arguments) {
        this.connections = connections;
        this.arguments = arguments;
    }

    public void add(Claim claim, Attempts attempts) {
        ongoing.begin();
        new Withdrawal(claim, attempts).send();
    }

    /** Waits for those under way, at most for that long. Not on an event loop. */
    public void await(Duration longest) {
        ongoing.begin(); // tasks that are already on the event loop may begin more
        connections.run(ongoing::end);
        ongoing.await(longest);
    }

    /** After that none is repeated. */
    public void close() {
        ongoing.close();
    }

    private final class Withdrawal {

        private final Claim claim;
        private final Attempts attempts;
        private final OngoingWithdrawals.Retries retries;

        Withdrawal(Claim claim, Attempts attempts) {
            this.claim = claim;
            this.attempts = attempts;
            this.retries = ongoing.retries(claim, ReconnectingConnection.LONGEST_DELAY);
        }

        void send() {
            connections.send(new Release(this));
        }

        void failed(RedisFailure failure) {
            boolean useless = failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary();
            retries.next(failure, useless).ifPresentOrElse(pause -> connections.after(pause, this::send), ongoing::end);
        }
    }

    private final class Release extends ScriptCall {

        private final Withdrawal withdrawal;

        Release(Withdrawal withdrawal) {
            super(Script.RELEASE, arguments.marker());
            this.withdrawal = withdrawal;
        }

        /**
         * Otherwise the next claim for the name, over the other connection, could be refused for this one, or queue behind it.
         */
        @Override
        public boolean comesFirst() {
            return true;
        }

        @Override
        public boolean mayGoTogether() {
            return arguments.mayShareWrite();
        }

        @Override
        public List<String> keys() {
            return List.of(arguments.key(withdrawal.claim.name()));
        }

        @Override
        public List<String> args() {
            return List.of(arguments.retention(), arguments.cluster(), withdrawal.claim.token(),
                    withdrawal.attempts.tombstone(withdrawal.claim.leaseNanos()));
        }

        @Override
        public List<String> known() {
            return arguments.known(RedisGrant.unknown(withdrawal.claim), withdrawal.claim.leaseNanos());
        }

        @Override
        public void answered(Response reply) {
            ongoing.end();
        }

        @Override
        public void failed(RedisFailure failure) {
            withdrawal.failed(failure);
        }
    }
}
