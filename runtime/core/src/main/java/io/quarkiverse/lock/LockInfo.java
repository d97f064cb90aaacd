package io.quarkiverse.lock;

import java.time.Duration;
import java.util.List;

/**
 * What the backend knows of a name at one moment; outdated as soon as it is read.
 *
 * @param name the lock's name
 * @param holders the holders, where readers of a JVM that share a grant appear as one; empty if the name is only waited for
 * @param waiters how many JVMs wait for it at the backend, which does not know of callers that wait behind an exclusive holder
 *        in their own JVM
 * @param waiting the waiters that the backend can describe, in queue order; possibly not all
 */
public record LockInfo(String name, List<Holder> holders, int waiters, List<Waiter> waiting) {

    public LockInfo {
        holders = List.copyOf(holders);
        waiting = List.copyOf(waiting);
    }

    /** For a backend that can only count its waiters. */
    public LockInfo(String name, List<Holder> holders, int waiters) {
        this(name, holders, waiters, List.of());
    }

    /**
     * One holder.
     *
     * @param owner describes the JVM that holds it ({@code quarkus.lock.owner}); begins with "finished, kept by" or "idle, kept
     *        by" if nobody uses it any more, and the name only stays taken
     * @param fencingToken the first fencing token of its grant; 0 if the backend does not know
     * @param mode whether it shares the name with others
     * @param limit how many holders the name may have at once, as this holder requested; 0 for no such limit
     * @param heldFor how long ago the backend granted it; if the backend does not know that, 0 or, on ZooKeeper for a holder in
     *        another JVM, how long ago that JVM asked for it
     * @param remaining how long its lease lasts from now without a renewal; 0 if the backend does not know
     */
    public record Holder(String owner, long fencingToken, LockMode mode, int limit, Duration heldFor, Duration remaining) {
    }

    /**
     * A waiting JVM. It has one claim for all of its callers that want the same.
     *
     * @param owner describes the JVM ({@code quarkus.lock.owner})
     * @param mode whether it would share the name with others
     * @param limit how many holders the name may have at once; 0 for no such limit
     * @param waitingFor how long ago it joined the queue
     */
    public record Waiter(String owner, LockMode mode, int limit, Duration waitingFor) {
    }
}
