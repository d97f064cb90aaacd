package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Whether a small history is possible for one mutex that hands out rising fencing tokens: by search, after Wing and Gong,
 * remembering visited states, which is Lowe's improvement. {@link HistoryChecker} decides by sorting; this decides from the
 * definition. It ignores waiting, and takes exponential time at worst.
 * <p>
 * Each hold is two operations: its grant took effect at one moment between request and answer, its end at some moment after it
 * was last certain. A grant is legal if nobody holds the lock and all earlier grants had smaller tokens. A request without a
 * definite answer may have been granted or not, which forbids nothing and allows nothing, so it is ignored.
 */
public final class MutexSearch {

    /** @param number the hold that begins or ends here */
    private record Operation(int number, boolean grant, long from, long to, long token) {
    }

    private record State(BitSet done, int holder, long highest) {
    }

    private static final int NOBODY = -1;

    private final List<Operation> operations = new ArrayList<>();
    private final Set<State> failed = new HashSet<>();

    private MutexSearch(List<Request> requests) {
        int number = 0;
        for (Request each : requests) {
            if (each.acquired != null) {
                operations.add(new Operation(number, true, each.invoked.from(), each.acquired.to(), each.acquired.value()));
                long end = each.certain() ? each.certainTo() : Long.MIN_VALUE;
                operations.add(new Operation(number, false, end, Long.MAX_VALUE, 0));
                number++;
            }
        }
    }

    /** Whether each lock of the history can have been a mutex with a fence. */
    public static boolean explains(Collection<HistoryEvent> events) {
        for (Map.Entry<String, List<Request>> each : new Requests(events).byName.entrySet()) {
            if (!new MutexSearch(each.getValue()).search(new State(new BitSet(), NOBODY, Long.MIN_VALUE))) {
                return false;
            }
        }
        return true;
    }

    private boolean search(State state) {
        if (state.done.cardinality() == operations.size()) {
            return true;
        }
        if (failed.contains(state)) {
            return false;
        }
        long first = firstAnswer(state);
        for (int i = 0; i < operations.size(); i++) {
            // An operation cannot precede one that was answered before it was requested
            if (!state.done.get(i) && operations.get(i).from() <= first) {
                State next = apply(state, i);
                if (next != null && search(next)) {
                    return true;
                }
            }
        }
        failed.add(state);
        return false;
    }

    private long firstAnswer(State state) {
        long first = Long.MAX_VALUE;
        for (int i = state.done.nextClearBit(0); i < operations.size(); i = state.done.nextClearBit(i + 1)) {
            first = Math.min(first, operations.get(i).to());
        }
        return first;
    }

    private @Nullable State apply(State state, int index) {
        Operation operation = operations.get(index);
        boolean legal = operation.grant() ? state.holder == NOBODY && operation.token() > state.highest
                : state.holder == operation.number();
        if (!legal) {
            return null;
        }
        var done = (BitSet) state.done.clone();
        done.set(index);
        return operation.grant() ? new State(done, operation.number(), operation.token())
                : new State(done, NOBODY, state.highest);
    }
}
