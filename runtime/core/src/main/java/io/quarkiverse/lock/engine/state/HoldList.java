package io.quarkiverse.lock.engine.state;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Holds in order of arrival, linked through themselves so that one in the middle leaves at no cost. Guarded by the queue of
 * their name.
 */
public final class HoldList {

    /** Volatile for {@link #isEmpty} alone, which is also asked without the guard. */
    private volatile @Nullable LockHold first;
    private @Nullable LockHold last;

    public boolean isEmpty() {
        return first == null;
    }

    @Nullable
    public LockHold first() {
        return first;
    }

    public void append(LockHold hold) {
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

    public LockHold removeFirst() {
        LockHold head = first;
        if (head == null) {
            throw new IllegalStateException("Nobody waits");
        }
        remove(head);
        return head;
    }

    public void remove(LockHold hold) {
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
