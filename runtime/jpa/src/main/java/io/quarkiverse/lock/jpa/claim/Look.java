package io.quarkiverse.lock.jpa.claim;

import io.quarkiverse.lock.jpa.table.PlacesInLine;

/** What a waiting claim wants to see of its name, from the end of one step until the start of the next. */
final class Look {

    final PendingClaim pending;
    final PlacesInLine.Wanted wanted;
    /** From then on it may look along with others ({@link System#nanoTime}). */
    final long from;
    /** From then on its place may be kept along with others. */
    final long keepFrom;
    /** Its place has to be kept by then. */
    final long keepAt;
    /** At that time it takes a step itself instead. */
    final boolean aloneThen;
    /** A round has taken it and makes sure that the claim continues. Guarded by the lock of {@link JoinedLooks}. */
    boolean taken;

    Look(PendingClaim pending, PlacesInLine.Wanted wanted, long from, long keepFrom, long keepAt, boolean aloneThen) {
        this.pending = pending;
        this.wanted = wanted;
        this.from = from;
        this.keepFrom = keepFrom;
        this.keepAt = keepAt;
        this.aloneThen = aloneThen;
    }
}
