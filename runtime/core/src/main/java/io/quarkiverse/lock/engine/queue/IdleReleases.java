package io.quarkiverse.lock.engine.queue;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.Kept;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Grant;

/**
 * Gives back grants that were kept without a holder. A failed release is retried until the lease must have ended. If the grant
 * was already gone, nobody has lost it.
 */
public final class IdleReleases {

    /** Enough to keep a distant backend busy, and few enough that a slow one answers each in time. */
    private static final int AT_ONCE = 128;

    private final NameTable names;
    private final Releases releases;
    /** Not given back yet, nor known to be gone. */
    private final Set<Grant> open = ConcurrentHashMap.newKeySet();
    /** Sent when others have their answers: the time for an answer counts from the request. */
    private final Queue<Kept> unsent = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger wakeUps = new AtomicInteger();

    public IdleReleases(NameTable names, Releases releases) {
        this.names = names;
        this.releases = releases;
    }

    /** Under the guard, while the grant is still in its queue: {@link #none} always sees it here or there. */
    void announce(Kept leaving) {
        open.add(leaving.lease.grant);
    }

    /** Sends the release at once. The grant was {@linkplain #announce announced}, and has left its queue. */
    void giveBack(Kept gone) {
        send(gone, true, () -> {
        });
    }

    /**
     * Sends the release when few others await an answer. The grant was {@linkplain #announce announced}. Whoever wants this
     * tells of {@link #left} at the end, so nobody is warned of each.
     */
    void giveBackInTurn(Kept gone) {
        unsent.add(gone);
        sendNext();
    }

    /** A loop instead of a recursion: an answer may come during the call. */
    private void sendNext() {
        if (wakeUps.getAndIncrement() != 0) {
            return; // the thread in the loop sees it
        }
        int seen = 1;
        do {
            for (Kept next = next(); next != null; next = next()) {
                unanswered.incrementAndGet();
                send(next, false, () -> {
                    unanswered.decrementAndGet();
                    sendNext();
                });
            }
            seen = wakeUps.addAndGet(-seen);
        } while (seen != 0);
    }

    @Nullable
    private Kept next() {
        return unanswered.get() >= AT_ONCE || names.closed() ? null : unsent.poll();
    }

    private void send(Kept gone, boolean warns, Runnable answered) {
        Grant grant = gone.lease.grant;
        releases.send(grant, null, () -> {
            over(grant);
            left(gone);
            answered.run();
        }, failure -> {
            left(gone);
            answered.run();
            releases.endIdle(gone.lease, failure, warns, () -> over(grant));
        });
    }

    private void left(Kept gone) {
        NameQueue queue = gone.lease.queue;
        queue.left(gone);
        names.idle(queue);
    }

    private void over(Grant grant) {
        open.remove(grant);
        names.holdGone();
    }

    /** Whether every grant has gone back. */
    public boolean none() {
        return open.isEmpty();
    }

    /** The names that are still taken, until their leases end. */
    public List<String> left() {
        return open.stream().filter(grant -> !releases.hasEnded(grant)).map(Grant::name).toList();
    }
}
