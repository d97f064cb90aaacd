package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/**
 * What this JVM holds of one name: one lease that excludes all others, or any number of a kind that goes together. They are
 * linked, the newest first: nearly always there is one at the most. Changed under the guard, read without.
 */
class OwnLeases extends WaitingLine {

    private volatile @Nullable Lease newest;

    /** The newest, from which {@link Lease#next} leads to the others. */
    final @Nullable Lease lease() {
        return newest;
    }

    /** Whether the name is ours alone: nothing can be asked for then, only waited for. */
    final boolean heldAlone() {
        Lease lease = newest;
        return lease != null && lease.alone();
    }

    final @Nullable Lease leaseOf(Grant grant) {
        for (Lease lease = newest; lease != null; lease = lease.next()) {
            if (lease.grant == grant) {
                return lease;
            }
        }
        return null;
    }

    final boolean has(Lease lease) {
        return leaseOf(lease.grant) == lease;
    }

    /** One that the backend has granted something else over: it cannot be there any more. */
    final @Nullable Lease outdatedBy(Grant grant) {
        for (Lease lease = newest; lease != null; lease = lease.next()) {
            if (lease.grant.fence() < grant.fence() && !lease.grant.claim().goesWith(grant.claim())) {
                return lease;
            }
        }
        return null;
    }

    final boolean goesWithAll(Claim claim) {
        Lease lease = newest;
        return lease == null || lease.grant.claim().goesWith(claim);
    }

    final void add(Lease lease) {
        if (lease instanceof JointLease joint) {
            joint.next(newest);
        }
        newest = lease;
    }

    final void remove(Lease gone) {
        Lease lease = newest;
        if (lease == gone) {
            newest = gone.next();
            return;
        }
        while (lease instanceof JointLease joint) {
            lease = joint.next();
            if (lease == gone) {
                joint.next(gone.next());
                return;
            }
        }
    }
}
