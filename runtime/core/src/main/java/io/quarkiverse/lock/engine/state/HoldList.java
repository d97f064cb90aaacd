package io.quarkiverse.lock.engine.state;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Holds in order of arrival, linked through themselves so that one in the middle leaves at no cost. Guarded by the queue of
 * their name.
 */
public final class HoldList {

    /** Volatile for {@link #isEmpty} alone, which is also asked without the guard. */
    private volatile @Nullable Hold first;
    private @Nullable Hold last;

    public boolean isEmpty() {
        return first == null;
    }

    @Nullable
    public Hold first() {
        return first;
    }

    public void append(Hold hold) {
        hold.previous = last;
        if (last == null) {
            first = hold;
        } else {
            last.next = hold;
        }
        last = hold;
    }

    void addAllTo(List<Hold> holds) {
        for (Hold hold = first; hold != null; hold = hold.next) {
            holds.add(hold);
        }
    }

    public Hold removeFirst() {
        Hold head = first;
        if (head == null) {
            throw new IllegalStateException("Nobody waits");
        }
        remove(head);
        return head;
    }

    public void remove(Hold hold) {
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
