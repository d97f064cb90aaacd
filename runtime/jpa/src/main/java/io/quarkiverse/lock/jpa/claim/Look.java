package io.quarkiverse.lock.jpa.claim;

import io.quarkiverse.lock.jpa.table.PlacesInLine;

/** What a waiting claim would see of its name, from the end of one of its steps until the next begins. */
final class Look {

    final PendingClaim pending;
    final PlacesInLine.Wanted wanted;
    /** From here on it may look along with others ({@link System#nanoTime}). */
    final long from;
    /** From here on its place may be kept along with others. */
    final long keepFrom;
    /** By then its place is to be kept. */
    final long keepAt;
    /** Then it takes a step of its own instead. */
    final boolean aloneThen;
    /** A round has it, and sees to it that the claim goes on. Under the lock of {@link JoinedLooks}. */
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
