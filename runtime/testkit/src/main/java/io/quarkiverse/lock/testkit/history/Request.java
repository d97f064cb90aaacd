package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.history.HistoryEvent.Kind;

/** All events of one request for a lock, and of the resulting hold. */
final class Request {

    final HistoryEvent invoked;
    @Nullable
    HistoryEvent acquired;
    /** Refused or uncertain. */
    @Nullable
    HistoryEvent failed;
    @Nullable
    HistoryEvent released;
    @Nullable
    HistoryEvent lastValid;
    @Nullable
    HistoryEvent firstInvalid;
    final List<HistoryEvent> losses = new ArrayList<>();
    /** When its process was killed; never is {@link Long#MAX_VALUE}. */
    long killedAt = Long.MAX_VALUE;
    /** The time until which nobody can have taken the lock from it by force. */
    long certainUntil = Long.MAX_VALUE;
    /** The time by which it had been taken from it by force; {@link Long#MAX_VALUE} for never. */
    long takenBy = Long.MAX_VALUE;

    Request(HistoryEvent invoked) {
        this.invoked = invoked;
    }

    void add(HistoryEvent event) {
        switch (event.kind()) {
            case ACQUIRED -> acquired = event;
            case REFUSED, UNCERTAIN -> failed = event;
            case RELEASED -> released = event;
            case VALID -> lastValid = lastValid == null || event.from() > lastValid.from() ? event : lastValid;
            case INVALID -> firstInvalid = firstInvalid == null || event.to() < firstInvalid.to() ? event : firstInvalid;
            case LOST -> losses.add(event);
            default -> throw new IllegalArgumentException("Not of a request: " + event);
        }
    }

    /** When the request was answered, or ended with its process; {@link Long#MAX_VALUE} if it is not over. */
    long answeredAt() {
        if (acquired != null) {
            return acquired.to();
        }
        return failed != null ? failed.to() : killedAt;
    }

    /** When it became certain of the lock. */
    long certainFrom() {
        return acquired == null ? Long.MAX_VALUE : acquired.to();
    }

    /** When it was last certain: its handle was valid then, and so it had been valid ever since it was handed out. */
    long certainTo() {
        return lastValid == null ? Long.MIN_VALUE : Math.min(lastValid.from(), certainUntil);
    }

    boolean certain() {
        return certainFrom() < certainTo();
    }

    /** When the store may have begun to keep the lock for it; {@link Long#MAX_VALUE} for never. */
    long keptFrom() {
        if (acquired != null) {
            return acquired.to();
        }
        return keptUntil() == Long.MIN_VALUE ? Long.MAX_VALUE : invoked.from();
    }

    /** When the store stopped keeping it; {@link Long#MAX_VALUE} if it may still keep it. */
    long keptUntil() {
        if (acquired != null) {
            return acquiredUntil(acquired);
        }
        if (failed != null) {
            return failed.kind() == Kind.UNCERTAIN ? failed.to() + invoked.value() : Long.MIN_VALUE;
        }
        return killedAt == Long.MAX_VALUE ? Long.MIN_VALUE : killedAt + invoked.value();
    }

    private long acquiredUntil(HistoryEvent acquired) {
        if (released != null) {
            return released.value() == 1 ? released.to() : released.to() + invoked.value();
        }
        if (killedAt != Long.MAX_VALUE) {
            return killedAt + invoked.value();
        }
        if (losses.isEmpty() && firstInvalid == null) {
            return Long.MAX_VALUE;
        }
        long lease = invoked.value();
        long kept = (lastValid == null ? acquired.to() : lastValid.to()) + lease;
        // A check after a lost connection also extends a hold that is not renewed. It was lost a margin before its end.
        return losses.isEmpty() ? kept : Math.max(kept, losses.get(0).from() + lease / 5);
    }

    List<HistoryEvent> events() {
        var all = new ArrayList<HistoryEvent>();
        for (HistoryEvent each : new HistoryEvent[] { invoked, acquired, failed, lastValid, firstInvalid, released }) {
            if (each != null) {
                all.add(each);
            }
        }
        all.addAll(losses);
        return all;
    }
}
