package io.quarkiverse.lock.spi;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.text.PrintableName;

/**
 * One JVM's request for a name at the backend, under a random 128-bit token made for it. Whatever the backend stores for the
 * claim carries the token, and only what carries it is ever renewed, released or handed over in its name.
 */
public final class Claim {

    private static final int TOKEN_DIGITS = 32;
    /** Somebody has the name, but nobody knows who. */
    private static final Object TAKEN = new Object();

    private final String name;
    private final long tokenHigh;
    private final long tokenLow;
    private volatile LockMode mode;
    private final int limit;
    private final long leaseNanos;
    private final boolean waits;

    /** The last news: who holds the name, or why that cannot be found out; {@code null} before the first. */
    private volatile @Nullable Object news;

    /**
     * @param name the lock's name, without namespace and not encoded
     * @param tokenHigh the token's upper half
     * @param tokenLow the token's lower half
     * @param limit how many may hold the name together; 0 unless this is a claim with a limit
     * @param leaseNanos how long the backend is to keep the grant without renewal
     * @param waits whether to wait for the name; otherwise the answer is {@link Busy} when it is taken
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

    /** Whether {@link #token} is this, without making a text of it. */
    public boolean hasToken(String text) {
        return text.length() == TOKEN_DIGITS && tokenLow(text) == tokenLow
                && HexFormat.fromHexDigitsToLong(text, 0, TOKEN_DIGITS / 2) == tokenHigh;
    }

    /** {@link #tokenLow()} of a claim with this {@link #token}; 0 if it is none. */
    public static long tokenLow(String token) {
        return token.length() == TOKEN_DIGITS ? HexFormat.fromHexDigitsToLong(token, TOKEN_DIGITS / 2, TOKEN_DIGITS) : 0;
    }

    /** Half of the token, which tells the claims of a JVM apart. */
    public long tokenLow() {
        return tokenLow;
    }

    public LockMode mode() {
        return mode;
    }

    /** For the engine: what is granted to it is held together with readers from here on. */
    public void downgrade() {
        mode = LockMode.SHARED;
    }

    /** How many may hold the name together; 0 unless this is a claim with a limit. */
    public int limit() {
        return limit;
    }

    /** Nobody may hold the name together with this one. */
    public boolean exclusive() {
        return mode == LockMode.EXCLUSIVE && limit == 0;
    }

    /** Whether the kinds of both go together: readers, or those with a limit, which it is left to count. */
    public boolean goesWith(Claim other) {
        return !exclusive() && mode == other.mode && limit > 0 == other.limit > 0;
    }

    public long leaseNanos() {
        return leaseNanos;
    }

    /** Whether to wait for the name; otherwise the answer is {@link Busy} when it is taken. */
    public boolean waits() {
        return waits;
    }

    /**
     * For the backend, whenever the store has answered that this claim has to wait: only a wait of which that is known ends as
     * busy.
     *
     * @param description who holds the name, for messages; {@code null} if that is not known
     */
    public void heldBy(@Nullable String description) {
        news = description == null ? TAKEN : description;
    }

    /**
     * As {@link #heldBy(String)}, where it is known since when: a message that is made later tells for how long it is by then.
     *
     * @param since when it was granted, by {@link LockTime#nanoTime}
     */
    public void heldBy(String owner, long since) {
        news = new Holder(owner, since);
    }

    private record Holder(String owner, long since) {
    }

    /** As {@link #heldBy(String)}, for an answer that says nothing about the holder: whoever was known to be it still is. */
    public void stillTaken() {
        if (!taken()) {
            news = TAKEN;
        }
    }

    /** Whether the store has said that this claim has to wait, and could be reached since. */
    public boolean taken() {
        Object last = news;
        return last != null && !(last instanceof Throwable);
    }

    /** Describes who holds the name; {@code null} if that is not known. */
    public @Nullable String heldBy() {
        Object last = news;
        return last instanceof Holder holder ? holder.owner : last instanceof String description ? description : null;
    }

    /** As {@link #heldBy()}, with how long that is, as far as known. */
    public @Nullable String heldByNow(LockTime time) {
        return news instanceof Holder holder ? PrintableDuration.heldBy(holder.owner, time.nanoTime() - holder.since)
                : heldBy();
    }

    /**
     * For the backend: it cannot reach its server for this waiting claim, and keeps trying; {@code null} when it can again,
     * also when it was reachable all the time: a release that failed before may have left its failure here. A wait that ends
     * meanwhile fails with this as the cause, instead of saying that the lock is busy.
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
