package io.quarkiverse.lock.spi;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.text.PrintableName;

/**
 * One JVM's request for a name at the backend, under its own random 128-bit token. Everything the backend stores for the claim
 * carries the token, and only records that carry it are ever renewed, released or handed over on its behalf.
 */
public final class Claim {

    private static final int TOKEN_DIGITS = 32;
    /** Somebody has the name, but it is not known who. */
    private static final Object TAKEN = new Object();

    private final String name;
    private final long tokenHigh;
    private final long tokenLow;
    private volatile LockMode mode;
    private final int limit;
    private final long leaseNanos;
    private final boolean waits;

    /** The last news: who holds the name, or why that is not known; {@code null} before any news. */
    private volatile @Nullable Object news;

    /**
     * @param name the lock's name, without namespace and not encoded
     * @param tokenHigh the token's upper half
     * @param tokenLow the token's lower half
     * @param limit how many may hold the name together; 0 if the claim has no limit
     * @param leaseNanos how long the backend must keep the grant without renewal
     * @param waits whether to wait for the name; otherwise the answer is {@link Busy} if it is taken
     */
    public Claim(String name, long tokenHigh, long tokenLow, LockMode mode, int limit, long leaseNanos, boolean waits) {
        this.name = name;
        this.tokenHigh = tokenHigh;
        this.tokenLow = tokenLow;
        this.mode = mode;
        this.limit = limit;
        this.leaseNanos = leaseNanos;
        this.waits = waits;
    }

    public String name() {
        return name;
    }

    /** The token as 32 hexadecimal digits. */
    public String token() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(tokenHigh) + hex.toHexDigits(tokenLow);
    }

    /** Whether {@link #token} equals this text, without building its text. */
    public boolean hasToken(String text) {
        return text.length() == TOKEN_DIGITS && tokenLow(text) == tokenLow
                && HexFormat.fromHexDigitsToLong(text, 0, TOKEN_DIGITS / 2) == tokenHigh;
    }

    /** {@link #tokenLow()} of a claim with this {@link #token}; 0 if the text is not a token. */
    public static long tokenLow(String token) {
        return token.length() == TOKEN_DIGITS ? HexFormat.fromHexDigitsToLong(token, TOKEN_DIGITS / 2, TOKEN_DIGITS) : 0;
    }

    /** Half of the token, which distinguishes the claims of a JVM. */
    public long tokenLow() {
        return tokenLow;
    }

    public LockMode mode() {
        return mode;
    }

    /** For the engine: from now on, its grant is held together with readers. */
    public void downgrade() {
        mode = LockMode.SHARED;
    }

    /** How many may hold the name together; 0 if the claim has no limit. */
    public int limit() {
        return limit;
    }

    /** Whether nobody else may hold the name together with this claim. */
    public boolean exclusive() {
        return mode == LockMode.EXCLUSIVE && limit == 0;
    }

    /** Whether the kinds of both are compatible: both readers, or both with a limit, whose count is checked elsewhere. */
    public boolean goesWith(Claim other) {
        return !exclusive() && mode == other.mode && limit > 0 == other.limit > 0;
    }

    public long leaseNanos() {
        return leaseNanos;
    }

    /** Whether to wait for the name; otherwise the answer is {@link Busy} if it is taken. */
    public boolean waits() {
        return waits;
    }

    /**
     * For the backend, whenever the store has answered that this claim must wait: only such a wait ends as busy.
     *
     * @param description who holds the name, for messages; {@code null} if unknown
     */
    public void heldBy(@Nullable String description) {
        news = description == null ? TAKEN : description;
    }

    /**
     * Like {@link #heldBy(String)}, when the time of the grant is known: a later message states the duration up to then.
     *
     * @param since the time of the grant, by {@link LockTime#nanoTime}
     */
    public void heldBy(String owner, long since) {
        news = new Holder(owner, since);
    }

    private record Holder(String owner, long since) {
    }

    /** Like {@link #heldBy(String)}, for an answer that does not name the holder: the last known holder stays. */
    public void stillTaken() {
        if (!taken()) {
            news = TAKEN;
        }
    }

    /** Whether the store has said that this claim must wait, and has been reachable since. */
    public boolean taken() {
        Object last = news;
        return last != null && !(last instanceof Throwable);
    }

    /** Describes who holds the name; {@code null} if unknown. */
    public @Nullable String heldBy() {
        Object last = news;
        return last instanceof Holder holder ? holder.owner : last instanceof String description ? description : null;
    }

    /** Like {@link #heldBy()}, with how long it has been held, if known. */
    public @Nullable String heldByNow(LockTime time) {
        return news instanceof Holder holder ? PrintableDuration.heldBy(holder.owner, time.nanoTime() - holder.since)
                : heldBy();
    }

    /**
     * For the backend: it cannot reach its server for this waiting claim, and keeps trying. Call it with {@code null} once the
     * server can be reached, even if it always could be: an earlier failed release may have left its failure here. A wait that
     * ends meanwhile fails with this as the cause, instead of reporting the lock busy.
     */
    public void trouble(@Nullable Throwable failure) {
        if (failure != null) {
            news = failure;
        } else if (news instanceof Throwable) {
            news = null;
        }
    }

    public @Nullable Throwable trouble() {
        return news instanceof Throwable failure ? failure : null;
    }

    @Override
    public String toString() {
        return PrintableName.of(name) + '#' + token();
    }
}
