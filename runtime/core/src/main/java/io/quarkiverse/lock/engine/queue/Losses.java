package io.quarkiverse.lock.engine.queue;

import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/** Ends holds whose lease is gone, and notifies everybody concerned. */
public final class Losses {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.engine.LockEngine"); // people filter by this name

    private final LockTime time;
    private final Events events;
    private final HoldNotifier notifier;
    private final NameTable names;
    private final Claims claims;

    public Losses(LockTime time, Events events, HoldNotifier notifier, NameTable names, Claims claims) {
        this.time = time;
        this.events = events;
        this.notifier = notifier;
        this.names = names;
        this.claims = claims;
    }

    /** Does nothing if the lease has already ended. */
    public void lose(Lease gone, String reason) {
        NameQueue queue = gone.queue;
        ClaimAttempt toStart;
        List<LockHold> lost = new ArrayList<>(1);
        queue.lock();
        try {
            Lease there = queue.leaseOf(gone.grant); // a different lease if it was downgraded meanwhile
            if (there == null) {
                return;
            }
            for (LockHold hold : there.presentHolders()) {
                // Before the lease is removed, so that a body that ends now does not take the loss for a release. A concurrent
                // release finds the lease gone and does not ask the backend
                if (hold.lose(reason) || !there.goingBack() && hold.loseAtRelease(reason)) {
                    lost.add(hold);
                }
            }
            queue.remove(there);
            toStart = claims.forFirst(queue);
        } finally {
            queue.unlock();
        }
        for (LockHold hold : lost) {
            report(hold, reason);
        }
        claims.startOrRest(queue, toStart);
    }

    /** It was given back, but the backend no longer had it. */
    void lostAtRelease(LockHold hold, String reason) {
        if (hold.loseAtRelease(reason)) {
            report(hold, reason);
        }
    }

    private void report(LockHold hold, String reason) {
        try {
            notifier.lost(hold);
        } catch (RuntimeException | Error e) { // no thread may be available; the next in line must not wait for ever
            LOG.errorf(e, "The users of lock '%s' could not be notified of its loss", PrintableName.of(hold.name()));
        }
        events.emit(Kind.LOST, hold, time.nanoTime() - hold.grantedAt(), reason);
        LOG.warn(hold.loss().getMessage());
        names.holdGone();
    }
}
