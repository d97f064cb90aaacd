package io.quarkiverse.lock.redis.claim;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release must know about the requests that led to it. */
public final class RedisGrant extends Grant {

    private static final String OVER = "-1";

    private final RedisLockOptions options;
    private final Attempts attempts;

    /** A release was sent before, so finding nothing does not mean that the grant was lost. Event loop only. */
    public boolean releaseTried;
    /** It must end earlier than the server may know: a renewal that said so got no answer. Event loop only. */
    public boolean endsEarlier;
    /**
     * How many requests to shorten its lease got no reply. The server is told, because it may run them late, and they must not
     * undo what came after them. Event loop only.
     */
    public int lostShortenings;
    private long newest;

    RedisGrant(Claim claim, RedisLockOptions options, Attempts attempts, long fence, long sentAt) {
        super(claim, fence, sentAt);
        this.options = options;
        this.attempts = attempts;
    }

    /** A grant that was pushed and is not confirmed yet. */
    RedisGrant(Claim claim, RedisLockOptions options, Attempts attempts, long fence, long sentAt, long claimLease) {
        super(claim, fence, sentAt, claimLease, true);
        this.options = options;
        this.attempts = attempts;
    }

    @Override
    public void leaseNanos(long nanos) {
        if (nanos > options.longestLeaseNanos()) {
            throw new ErrorMessages(options).tooLong(name(), nanos);
        }
        super.leaseNanos(nanos);
    }

    /**
     * Whether this is newer than what was known about its waiters: messages and replies overtake each other. Event loop only.
     *
     * @param ticket the name's last ticket at that time; for the same ticket, the news that nobody waits is the later one
     */
    boolean isNewest(boolean some, long ticket) {
        long order = 2 * ticket + (some ? 0 : 1);
        if (order < newest) {
            return false;
        }
        newest = order;
        return true;
    }

    /**
     * What to tell a server that may have lost it: fence, mode, limit. A grant that is over by this JVM's clock must not come
     * back.
     */
    public List<String> known(long now) {
        return List.of(keptAt(now) ? String.valueOf(fence()) : OVER, ScriptArguments.mode(claim()),
                String.valueOf(claim().limit()));
    }

    /** Like {@link #known}, for a claim that has no grant here. */
    static List<String> unknown(Claim claim) {
        return List.of(OVER, ScriptArguments.mode(claim), String.valueOf(claim.limit()));
    }

    public Attempts attempts() {
        return attempts;
    }

    public String token() {
        return claim().token();
    }

    /**
     * The acquire requests of one claim. The server may still run a request that failed without a reply, once it leaves some
     * buffer: then the end of the claim leaves a tombstone that refuses it. A request in flight over the same connection as the
     * end arrives before it and needs no tombstone; over another connection it may arrive after it. Event loop only.
     */
    public static final class Attempts {

        /** For a claim whose requests were all answered. */
        private static final Attempts ANSWERED = new Attempts(true);

        private final boolean ordered;
        private boolean any;
        private boolean open;
        private boolean mayComeLate;

        /** @param ordered whether all requests of a name go over one connection, so that none overtakes another */
        public Attempts(boolean ordered) {
            this.ordered = ordered;
        }

        public void sent() {
            any = true;
            open = true;
        }

        void replied() {
            open = false;
        }

        void failedWithoutReply() {
            open = false;
            mayComeLate = true;
        }

        /** What a grant must remember of these requests once none is in flight. */
        Attempts allAnswered() {
            return mayComeLate ? this : ANSWERED;
        }

        /** Whether the server may have something of the claim. */
        boolean any() {
            return any;
        }

        boolean mayComeLate() {
            return mayComeLate || open && !ordered;
        }

        /** For how many milliseconds the server must refuse later requests of the claim, in the form that the scripts take. */
        public String tombstone(long leaseNanos) {
            return mayComeLate() ? String.valueOf(tombstoneMillis(leaseNanos)) : "0";
        }

        static long tombstoneMillis(long leaseNanos) {
            return Math.max(60_000, TimeUnit.NANOSECONDS.toMillis(leaseNanos));
        }
    }
}
