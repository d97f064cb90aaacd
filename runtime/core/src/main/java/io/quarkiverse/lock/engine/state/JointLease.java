package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Grant;

/**
 * A grant that does not exclude all others. A grant with a limit has one holder. Readers join an existing grant without asking
 * the backend, as long as nobody is known to wait; the last of them gives it back. Everything but {@link #next} is guarded by
 * the queue.
 */
public final class JointLease extends Lease {

    private final HoldList present = new HoldList();
    private volatile @Nullable Lease next;

    public JointLease(NameQueue queue, Grant grant, LockHold first, long clockGap, long now) {
        super(queue, grant, first, clockGap, now);
        present.append(first);
    }

    /** Replaces a lease whose holder lets readers in. */
    public JointLease(Lease alone) {
        super(alone);
        present.append(alone.holder());
    }

    /** Whether an arriving reader can join without asking the backend. */
    public boolean mayBeJoinedBy(LockHold reader, long now) {
        return present.first() != null // else it is being given back right now
                && suits(reader) && undisturbed(now) && !holder().inDoubt() && !holder().askedFor()
                && deadline() - now >= enoughToPass()
                && !clocksParted();
    }

    /**
     * Whether it is the grant that this reader would ask for. A hold that must expire by itself needs a grant that is not kept
     * alive for others.
     */
    public boolean suits(LockHold reader) {
        HoldSettings wanted = reader.settings;
        return wanted.mode() == LockMode.SHARED && !isShortened() && wanted.goesWith(holder().settings)
                && wanted.sharesGrants() && holder().settings.sharesGrants()
                && wanted.leaseNanos() == ours(grant.claim().leaseNanos())
                && leaseNanos() <= wanted.leaseNanos();
    }

    @Override
    public long keptUntil(LockHold ended, long now) {
        return ended.settings.sharesGrants() ? super.keptUntil(ended, now) : now; // nobody could join it
    }

    @Override
    boolean mayBeTakenBy(LockHold reader, long now) {
        return suits(reader) && lastsWhileExtended(reader, now) && !clocksParted();
    }

    @Override
    void takenBy(LockHold reader, long now) {
        holder(reader);
        join(reader, now);
    }

    public void join(LockHold reader, long now) {
        present.append(reader);
        reader.grant(this, now);
    }

    /** Whether nobody is left. */
    public boolean leave(LockHold reader) {
        present.remove(reader);
        LockHold first = present.first();
        if (first == null) {
            return true;
        }
        holder(first);
        return false;
    }

    @Override
    boolean alone() {
        return false;
    }

    @Override
    public List<LockHold> holders() {
        queue.lock();
        try {
            return presentHolders();
        } finally {
            queue.unlock();
        }
    }

    @Override
    public List<LockHold> presentHolders() {
        List<LockHold> holders = new ArrayList<>();
        present.addAllTo(holders);
        return holders;
    }

    @Override
    public void markConfirmed() {
        for (LockHold hold : holders()) {
            hold.markConfirmed();
        }
    }

    @Override
    @Nullable
    public Lease next() {
        return next;
    }

    void next(@Nullable Lease lease) {
        next = lease;
    }
}
