package io.quarkiverse.lock.spi;

import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockBackendException;

/**
 * The backend's positive answer to a claim. Backends may extend the class with data to find the grant again. All times are
 * nanoseconds of {@link LockTime#nanoTime}.
 */
public non-sealed class Grant implements Answer {

    /** How many fencing tokens belong to a fence: one for each hold that the grant is handed on to inside its JVM. */
    public static final int TOKENS_PER_FENCE = 1024;

    private final Claim claim;
    private final long fence;

    private volatile long sentAt;
    private volatile long grantedNanos;
    private volatile boolean provisional;
    private volatile long leaseNanos;
    /** Until when it is kept even if later renewals have asked for less: {@link #asksFor}. */
    private volatile long promisedUntil;
    /** In milliseconds, rounded down, to save space: there may be many grants, and most never have a shorter lease. */
    private volatile int shortestLeaseMillis;

    /** A grant for the claim's whole lease. */
    public Grant(Claim claim, long fence, long sentAt) {
        this(claim, fence, sentAt, claim.leaseNanos(), false);
    }

    /**
     * @param fence the backend's fence counter: greater than that of every earlier grant of this name, and below 2^53
     * @param sentAt when the request that was granted was <em>sent</em>
     * @param grantedNanos how long from then the backend keeps the grant
     * @param provisional whether the backend keeps it for less than the claim's lease until it is renewed, which the engine
     *        does soon
     */
    public Grant(Claim claim, long fence, long sentAt, long grantedNanos, boolean provisional) {
        this.claim = claim;
        this.fence = fence;
        this.sentAt = sentAt;
        this.promisedUntil = sentAt;
        this.grantedNanos = grantedNanos;
        this.provisional = provisional;
        this.leaseNanos = claim.leaseNanos();
        this.shortestLeaseMillis = millis(claim.leaseNanos());
    }

    /** The first fencing token that belongs to a fence: the one {@link LockBackend#inspect} shows for its grant. */
    public static long firstToken(long fence) {
        return fence * TOKENS_PER_FENCE;
    }

    public final Claim claim() {
        return claim;
    }

    public final String name() {
        return claim.name();
    }

    /** The backend's fence counter for this grant. */
    public final long fence() {
        return fence;
    }

    /** When the last request was sent that made or renewed this grant. */
    public final long sentAt() {
        return sentAt;
    }

    /** How long from {@link #sentAt} the backend keeps it unless it is renewed. */
    public final long grantedNanos() {
        return grantedNanos;
    }

    /** Whether the backend keeps it for less than its lease, until it is renewed for the first time. */
    public final boolean provisional() {
        return provisional;
    }

    /** For the engine: the renewal that was sent at that time has succeeded. */
    public final void confirmed(long sentAt) {
        if (sentAt - this.sentAt > 0) { // answers may overtake each other
            this.sentAt = sentAt;
        }
        grantedNanos = leaseNanos();
        provisional = false;
    }

    /**
     * How long each renewal must keep the grant. A backend may return less than it was told. If it can no longer keep as much
     * as it returned before, it returns less from then on, and must {@linkplain BackendListener#suspect suspect} the grant. A
     * backend with {@link Feature#HOLD_AT_LEAST} keeps what it has confirmed.
     */
    public long leaseNanos() {
        return leaseNanos;
    }

    /**
     * For the engine: sets what later renewals ask for.
     *
     * @throws LockBackendException if the backend cannot keep any grant that long; then nothing has changed
     */
    public void leaseNanos(long nanos) {
        if (nanos < leaseNanos) {
            promisedUntil = sentAt; // nothing: the backend may be asked to end it earlier
        }
        shortestLeaseMillis = Math.min(shortestLeaseMillis, millis(nanos));
        leaseNanos = nanos;
    }

    /**
     * For the engine: later renewals ask for less than earlier ones, but end nothing earlier. What the backend has confirmed
     * remains.
     */
    public final void asksFor(long nanos) {
        promisedUntil = keptUntil(); // first: it must not seem to be kept for less meanwhile
        shortestLeaseMillis = Math.min(shortestLeaseMillis, millis(nanos));
        leaseNanos = nanos;
    }

    /** For the engine: whether the backend keeps it at that time even if a renewal that asks for less is the last one. */
    public final boolean promisedAt(long at) {
        return at - promisedUntil < 0;
    }

    /** For the engine: no request for less is under way any more. */
    public final void keptWhole() {
        shortestLeaseMillis = millis(leaseNanos());
    }

    /** For the engine: no renewal that might still count has asked for less than this. */
    public final long shortestLeaseNanos() {
        return TimeUnit.MILLISECONDS.toNanos(shortestLeaseMillis);
    }

    private static int millis(long nanos) {
        return (int) Math.min(TimeUnit.NANOSECONDS.toMillis(nanos), Integer.MAX_VALUE);
    }

    /**
     * Whether the backend keeps it at that time, judged only by its answers and this JVM's clock: a grant that is gone
     * nevertheless was lost. If leases were shortened, the shortest one counts.
     */
    public final boolean keptAt(long now) {
        return now - keptUntil() < 0;
    }

    /** Until when the backend keeps it at least, see {@link #keptAt}. */
    public final long keptUntil() {
        long confirmed = sentAt + Math.min(grantedNanos, Math.min(leaseNanos(), shortestLeaseNanos()));
        long promised = promisedUntil;
        return promised - confirmed > 0 ? promised : confirmed;
    }

    @Override
    public String toString() {
        return claim + "@" + fence;
    }
}
