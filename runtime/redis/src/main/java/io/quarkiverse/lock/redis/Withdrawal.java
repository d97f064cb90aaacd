package io.quarkiverse.lock.redis;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Claim;
import io.vertx.redis.client.Response;

/**
 * Takes a claim that nobody wants any more out of the queue, or gives back what it was granted meanwhile: again and again,
 * until it is answered. Given up only when the server does not allow it, or when everything of the claim has expired there.
 * Event loop only.
 */
final class Withdrawal {

    private static final Logger LOG = Logger.getLogger(RedisLockBackend.class);

    private final RedisLockBackend backend;
    private final String key;
    private final Claim claim;
    private final Attempts attempts;
    private final Backoff backoff = new Backoff(ReconnectingConnection.LONGEST_DELAY);
    private final long until;

    Withdrawal(RedisLockBackend backend, String key, Claim claim, Attempts attempts) {
        this.backend = backend;
        this.key = key;
        this.claim = claim;
        this.attempts = attempts;
        this.until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(tombstoneMillis(claim.leaseNanos()));
    }

    /** How long a late request of an ended claim is refused. */
    static long tombstoneMillis(long leaseNanos) {
        return Math.max(60_000, TimeUnit.NANOSECONDS.toMillis(leaseNanos));
    }

    void run() {
        backend.link().send(new Release());
    }

    private final class Release extends ScriptCall {

        Release() {
            super(Script.RELEASE);
        }

        /** Else the next claim for the name, over the other connection, could be refused for this one, or queue behind it. */
        @Override
        boolean comesFirst() {
            return true;
        }

        @Override
        boolean mayGoTogether() {
            return backend.mayGoTogether();
        }

        @Override
        List<String> keys() {
            return List.of(key);
        }

        @Override
        List<String> args() {
            return List.of(backend.retention(), backend.cluster(), claim.token(),
                    attempts.mayComeLate() ? String.valueOf(tombstoneMillis(claim.leaseNanos())) : "0");
        }

        @Override
        void answered(Response reply) {
            backend.withdrawn();
        }

        @Override
        void failed(RedisFailure failure) {
            boolean useless = failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary();
            if (useless || backend.closed() || System.nanoTime() - until >= 0) {
                LOG.debugf("Claim %s is left to expire: %s", claim,
                        PrintableName.oneLine(String.valueOf(failure.getMessage())));
                backend.withdrawn();
            } else {
                backend.link().after(backoff.next(), Withdrawal.this::run);
            }
        }
    }
}
