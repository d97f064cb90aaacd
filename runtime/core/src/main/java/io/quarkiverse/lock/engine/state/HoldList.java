package io.quarkiverse.lock.engine.state;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Holds in order of arrival. They are linked directly, so that one in the middle can leave at no cost. Access needs the guard.
 */
final class HoldList {

    private @Nullable LockHold first;
    private @Nullable LockHold last;
    /** Whether the hold that was first until now had to wait at the backend. */
    boolean hadToWait;

    boolean isEmpty() {
        return first == null;
    }

    @Nullable
    LockHold first() {
        return first;
    }

    void append(LockHold hold) {
        hold.previous = last;
        if (last == null) {
            first = hold;
        } else {
            last.next = hold;
        }
        last = hold;
    }

    void addAllTo(List<LockHold> holds) {
        for (LockHold hold = first; hold != null; hold = hold.next) {
            holds.add(hold);
        }
    }

    void remove(LockHold hold) {
        if (hold.previous == null) {
            first = hold.next;
        } else {
            hold.previous.next = hold.next;
        }
        if (hold.next == null) {
            last = hold.previous;
        } else {
            hold.next.previous = hold.previous;
        }
        hold.previous = null;
        hold.next = null;
    }
}
