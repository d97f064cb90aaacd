package io.quarkiverse.lock.engine.state;

import java.util.List;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Grant;

/**
 * Derives fencing tokens from the backend's counter. The backend counts grants; each grant has a block of tokens, one for each
 * hold that gets it inside this JVM. All tokens are above a floor, for stores whose counter is lower than that of their
 * predecessor.
 */
public final class Fencing {

    private final long floor;

    public Fencing(long floor) {
        this.floor = floor;
    }

    public long token(long fence, int handOvers) {
        return floor + Grant.firstToken(fence) + handOvers;
    }

    /** Raises the tokens that a backend knows of a name above the floor, of which it knows nothing. */
    public LockInfo above(LockInfo known) {
        if (floor == 0) {
            return known;
        }
        List<LockInfo.Holder> holders = known.holders().stream().map(it -> new LockInfo.Holder(it.owner(),
                it.fencingToken() == 0 ? 0 : floor + it.fencingToken(), it.mode(), it.limit(), it.heldFor(), it.remaining()))
                .toList();
        return new LockInfo(known.name(), holders, known.waiters(), known.waiting());
    }

    /** The same for each lock of a page. */
    public LockQuery.Page above(LockQuery.Page known) {
        return floor == 0 ? known : new LockQuery.Page(known.locks().stream().map(this::above).toList(), known.next());
    }
}
