package io.quarkiverse.lock.engine.queue;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.state.HoldList;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** Makes leases of grants, and holds stand on them. */
public final class Leases {

    private final @Nullable InMemoryBackend inMemory;
    private final Claims claims;
    private final LockTime time;
    private final Events events;
    private final Renewals renewals;

    /** @param inMemory {@code null} if the backend has to be waited for */
    public Leases(@Nullable InMemoryBackend inMemory, Claims claims, LockTime time, Events events, Renewals renewals) {
        this.inMemory = inMemory;
        this.claims = claims;
        this.time = time;
        this.events = events;
        this.renewals = renewals;
    }

    /** Under the guard: whether the backend has granted it without a wait. */
    boolean takenNow(LockHold hold) {
        if (inMemory == null) {
            return false;
        }
        NameQueue queue = hold.queue;
        Grant grant = inMemory.acquireNow(claims.make(queue.name, hold.settings));
        if (grant == null) {
            return false;
        }
        begin(grant, hold, LeaseRules.clockGap(time), time.nanoTime());
        return true;
    }

    /**
     * Under the guard.
     *
     * @param now when it was decided that the grant is worth having: who asks how long it has been held finds out how old that
     *        decision is
     */
    void begin(Grant grant, LockHold hold, long clockGap, long now) {
        NameQueue queue = hold.queue;
        Lease granted = hold.settings.exclusive() ? new Lease(queue, grant, hold, clockGap, now)
                : new JointLease(queue, grant, hold, clockGap, now);
        if (hold.grant(granted, now)) {
            queue.add(granted);
            if (!grant.provisional()) {
                renewals.added(granted);
            }
        }
    }

    /** One that has joined others who read, and how long it has waited for that. */
    public record Reader(LockHold hold, long waited) {
    }

    /** Under the guard: those at the head of the line who may read along. {@link #tell} must follow. */
    public List<Reader> letJoin(JointLease joint) {
        HoldList waiting = joint.queue.waiting;
        List<Reader> readers = new ArrayList<>();
        long now = time.nanoTime();
        for (LockHold first = waiting.first(); first != null && joint.suits(first); first = waiting.first()) {
            waiting.remove(first);
            readers.add(new Reader(first, now - first.requestedAt()));
            joint.join(first, now);
        }
        return readers;
    }

    public void tell(List<Reader> readers) {
        for (Reader reader : readers) {
            events.emit(Kind.BATON, reader.hold, reader.waited, null);
            reader.hold.tellWaiter();
        }
    }

    /** Under the guard: whether the hold has joined others of this JVM, with no word to the backend. */
    boolean joined(LockHold hold) {
        NameQueue queue = hold.queue;
        if (!queue.waiting.isEmpty() || !(queue.lease() instanceof JointLease joint)) {
            return false;
        }
        long now = time.nanoTime();
        if (!joint.mayBeJoinedBy(hold, now)) {
            return false;
        }
        joint.join(hold, now);
        return true;
    }
}
