package io.quarkiverse.lock.redis.claim;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Claim;
import io.vertx.redis.client.Response;

/**
 * Claims that nobody wants any more, until the server has forgotten them: each is taken out of the queue, or what it was
 * granted meanwhile is given back, again and again until that is answered. A withdrawal is given up only when the server does
 * not allow it, or when everything of the claim has expired there. Event loop only, but for {@link #close}.
 */
public final class PendingWithdrawals {

    private static final Logger LOG = Logger.getLogger(PendingWithdrawals.class);

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private int count;
    private @Nullable CountDownLatch last;
    private volatile boolean closed;

    public PendingWithdrawals(RedisConnections connections, ScriptArguments arguments) {
        this.connections = connections;
        this.arguments = arguments;
    }

    public void add(Claim claim, Attempts attempts) {
        count++;
        new Withdrawal(claim, attempts).send();
    }

    /** Waits for those under way, at most for that long; then none is repeated any more. */
    public void close(Duration longest, boolean wait) {
        var none = new CountDownLatch(1);
        connections.run(() -> {
            last = none;
            if (count == 0) {
                none.countDown();
            }
        });
        if (wait) {
            try {
                none.await(longest.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        closed = true;
    }

    private void done() {
        if (--count == 0 && last != null) {
            last.countDown();
        }
    }

    private final class Withdrawal {

        private final Claim claim;
        private final Attempts attempts;
        private final Backoff backoff = new Backoff(ReconnectingConnection.LONGEST_DELAY);
        private final long until;

        Withdrawal(Claim claim, Attempts attempts) {
            this.claim = claim;
            this.attempts = attempts;
            this.until = System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(Attempts.tombstoneMillis(claim.leaseNanos()));
        }

        void send() {
            connections.send(new Release(this));
        }

        void failed(RedisFailure failure) {
            boolean useless = failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary();
            if (useless || closed || System.nanoTime() - until >= 0) {
                LOG.debugf("Claim %s is left to expire: %s", claim,
                        PrintableName.oneLine(String.valueOf(failure.getMessage())));
                done();
            } else {
                connections.after(backoff.next(), this::send);
            }
        }
    }

    private final class Release extends ScriptCall {

        private final Withdrawal withdrawal;

        Release(Withdrawal withdrawal) {
            super(Script.RELEASE);
            this.withdrawal = withdrawal;
        }

        /** Else the next claim for the name, over the other connection, could be refused for this one, or queue behind it. */
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
        public void answered(Response reply) {
            done();
        }

        @Override
        public void failed(RedisFailure failure) {
            withdrawal.failed(failure);
        }
    }
}
