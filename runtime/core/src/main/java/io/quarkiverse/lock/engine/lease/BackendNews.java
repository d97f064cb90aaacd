package io.quarkiverse.lock.engine.lease;

import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/** Handles what the backend reports by itself: doubts, losses, and who else wants a lock. */
public final class BackendNews implements BackendListener {

    private static final Logger LOG = Logger.getLogger(BackendNews.class);

    private final LockTime time;
    private final NameTable names;
    private final Events events;
    private final HoldNotifier notifier;
    private final Losses losses;
    private final Renewals renewals;
    private final Lingering lingering;

    public BackendNews(LockTime time, NameTable names, Events events, HoldNotifier notifier, Losses losses, Renewals renewals,
            Lingering lingering) {
        this.time = time;
        this.names = names;
        this.events = events;
        this.notifier = notifier;
        this.losses = losses;
        this.renewals = renewals;
        this.lingering = lingering;
    }

    @Override
    public void suspect(Grant grant) {
        Lease lease = names.leaseOf(grant);
        if (lease != null) {
            lease.noLongerThanKept();
            renewals.suspect(lease, "the backend is in doubt");
            renewals.recheck(lease);
        }
    }

    @Override
    public void lost(Grant grant, String reason) {
        Lease lease = names.leaseOf(grant);
        if (lease != null) {
            losses.lose(lease, reason);
        }
    }

    @Override
    public void waiters(Grant grant, boolean some) {
        Lease told = null;
        Lease lease = names.leaseOf(grant);
        while (lease != null && lease != told) { // again if it was downgraded in the meantime
            lease.othersWait(some, time.nanoTime());
            told = lease;
            lease = told.queue.leaseOf(grant);
        }
        if (told != null && some) {
            lingering.wantedElsewhere(told);
        }
    }

    @Override
    public void releaseRequested(Grant grant) {
        NameQueue queue = names.ifKnown(grant.name());
        if (queue != null) {
            releaseRequested(queue, grant);
        }
    }

    private void releaseRequested(NameQueue queue, Grant grant) {
        List<LockHold> asked = new ArrayList<>(1);
        Lease idle = null;
        queue.lock(); // also because a grant may be about to become a lease
        try {
            Lease lease = queue.leaseOf(grant);
            if (lease == null) {
                return;
            }
            if (queue.keeps(lease)) {
                idle = lease;
            }
            for (LockHold hold : lease.presentHolders()) {
                if (hold.ask()) {
                    asked.add(hold);
                }
            }
        } finally {
            queue.unlock();
        }
        if (idle != null) {
            lingering.end(idle);
        }
        for (LockHold hold : asked) {
            tell(hold);
            if (!hold.onlyTurn()) { // else nothing is held yet
                events.emit(Kind.RELEASE_REQUESTED, hold, time.nanoTime() - hold.grantedAt(), null);
            }
        }
    }

    private void tell(LockHold hold) {
        try {
            notifier.releaseRequested(hold);
        } catch (RuntimeException | Error e) { // no thread may be available; the other holders must be told nevertheless
            LOG.errorf(e, "The users of lock '%s' could not be asked to release it", PrintableName.of(hold.name()));
        }
    }

    /** Like {@link #releaseRequested}, for all locks held here: the application is about to stop. */
    public void allReleasesRequested() {
        for (NameQueue queue : names.all()) {
            for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
                releaseRequested(queue, lease.grant);
            }
        }
    }

    @Override
    public void recheck() {
        renewals.recheckAll();
    }
}
