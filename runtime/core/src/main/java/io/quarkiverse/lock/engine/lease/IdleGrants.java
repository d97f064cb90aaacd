package io.quarkiverse.lock.engine.lease;

import java.util.List;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.Fencing;
import io.quarkiverse.lock.engine.state.Kept;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Grant;

/** Adds to the backend's knowledge of names what only this JVM knows: that a grant is merely kept, and nobody here holds it. */
public final class IdleGrants {

    private final NameTable names;
    private final Fencing fencing;

    public IdleGrants(NameTable names, Fencing fencing) {
        this.names = names;
        this.fencing = fencing;
    }

    public LockQuery.Page shown(LockQuery.Page known) {
        return new LockQuery.Page(known.locks().stream().map(this::shown).toList(), known.next());
    }

    public LockInfo shown(LockInfo known) {
        NameQueue queue = names.ifKnown(known.name());
        Kept kept = queue == null ? null : queue.kept();
        return fencing.above(kept == null ? known : marked(known, Grant.firstToken(kept.lease.grant.fence())));
    }

    private static LockInfo marked(LockInfo known, long token) {
        List<LockInfo.Holder> holders = known.holders().stream().map(it -> it.fencingToken() != token ? it
                : new LockInfo.Holder("idle, kept by " + it.owner(), it.fencingToken(), it.mode(), it.limit(), it.heldFor(),
                        it.remaining()))
                .toList();
        return new LockInfo(known.name(), holders, known.waiters(), known.waiting());
    }
}
