package io.quarkiverse.lock.local;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** How a name gets from its holders to those who wait for it. */
final class LocalHandOver {

    private final LocalStore store;

    LocalHandOver(LocalStore store) {
        this.store = store;
    }

    Grant grant(LocalEntry entry, LocalBackend to, Claim claim, long now) {
        Grant grant = new Grant(claim, store.nextFence(), now);
        entry.add(grant, to, now);
        return grant;
    }

    record Handover(LocalClaim to, Grant grant, boolean othersWait) {
    }

    /**
     * Gives the name to those at the head of the line that there is room for; the guard is held, and what it returns
     * is completed when it is free. While somebody waits, the end of a lease has to be noticed.
     */
    List<Handover> dispatch(LocalEntry entry) {
        entry.expectNothing();
        if (entry.waiting.isEmpty()) {
            return List.of();
        }
        List<Handover> handovers = new ArrayList<>(1);
        long now = store.time.nanoTime();
        LocalClaim first = entry.waiting.peek();
        while (first != null && entry.fits(first.claim, now)) {
            entry.waiting.remove();
            handovers.add(new Handover(first, grant(entry, first.backend, first.claim, now), !entry.waiting.isEmpty()));
            first = entry.waiting.peek();
        }
        if (first != null) {
            if (!handovers.isEmpty()) {
                entry.waiting.forEach(each -> entry.tell(each.claim));
            }
            entry.expiry = store.time.schedule(entry.firstExpiry() - now, () -> expire(entry));
        }
        return handovers;
    }

    private void expire(LocalEntry entry) {
        List<Handover> handovers;
        store.guard.lock();
        try {
            handovers = dispatch(entry);
        } finally {
            store.guard.unlock();
        }
        complete(handovers);
    }

    static void complete(List<Handover> handovers) {
        for (Handover handover : handovers) {
            handover.to().answer(handover.grant());
            if (handover.othersWait()) {
                handover.to().backend.listener().waiters(handover.grant(), true);
            }
        }
    }
}
