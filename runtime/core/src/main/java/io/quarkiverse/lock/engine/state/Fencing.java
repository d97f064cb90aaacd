package io.quarkiverse.lock.engine.state;

import java.util.List;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Grant;

/**
 * Makes fencing tokens of what the backend counts. It counts grants; each has a block of tokens, one for each hold that it is
 * handed on to inside this JVM. All of them are above a floor, for stores that count lower than the one before them.
 */
public final class Fencing {

    private final long floor;

    public Fencing(long floor) {
        this.floor = floor;
    }

    public long token(long fence, int handOvers) {
        return floor + Grant.firstToken(fence) + handOvers;
    }

    /** What a backend knows of a name; it does not know the floor. */
    public LockInfo above(LockInfo known) {
        if (floor == 0) {
            return known;
        }
        List<LockInfo.Holder> holders = known.holders().stream().map(it -> new LockInfo.Holder(it.owner(),
                floor + it.fencingToken(), it.mode(), it.limit(), it.heldFor(), it.remaining())).toList();
        return new LockInfo(known.name(), holders, known.waiters(), known.waiting());
    }

    /** The same for each lock of a page. */
    public LockQuery.Page above(LockQuery.Page known) {
        return floor == 0 ? known : new LockQuery.Page(known.locks().stream().map(this::above).toList(), known.next());
    }
}
