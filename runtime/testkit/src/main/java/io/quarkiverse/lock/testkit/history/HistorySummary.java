package io.quarkiverse.lock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quarkiverse.lock.testkit.history.Spans.Span;

/**
 * Summarizes a history: how much was done, and how long locks were waited for after a fault.
 *
 * <pre>{@code
 * var summary = new HistorySummary(history.events(), System.nanoTime());
 * summary.untilNextGrant(healed);
 * }</pre>
 */
public final class HistorySummary {

    /** How recently before the end of its process a holder must have been certain to count as the holder at that moment. */
    private static final long LATELY = 1_000_000_000;

    private static final class Lock {
        final List<Request> grants = new ArrayList<>();
        final Spans waited = new Spans();
        /** When it was held, there was a fault, or some process did not run. */
        final Spans excused = new Spans();
    }

    private final Map<String, Lock> locks = new TreeMap<>();
    private final Requests requests;
    private final Spans disturbed = new Spans();
    private final long now;
    private final Map<Cause, Integer> refusals = new EnumMap<>(Cause.class);
    private long holds;
    private long handOvers;
    private long asked;

    /** @param now the time up to which the events are complete */
    public HistorySummary(Collection<HistoryEvent> events, long now) {
        this.now = now;
        requests = new Requests(events);
        requests.faults.forEach(each -> disturbed.add(each.from(), each.to()));
        requests.pauses.forEach(each -> disturbed.add(each.from(), each.to()));
        requests.byName.forEach((name, all) -> locks.put(name, lock(all)));
    }

    private Lock lock(List<Request> requests) {
        var lock = new Lock();
        for (Request each : requests) {
            asked++;
            if (each.failed != null && each.failed.kind() == HistoryEvent.Kind.REFUSED) {
                refusals.merge(Cause.values()[(int) each.failed.value()], 1, Integer::sum);
            }
            lock.waited.add(each.invoked.from(), Math.min(now, each.answeredAt()));
            if (each.acquired != null) {
                lock.grants.add(each);
                long released = each.released == null ? Long.MAX_VALUE : each.released.to();
                lock.excused.add(each.acquired.to(), Math.min(released, each.certainTo()));
            }
        }
        this.requests.faults.forEach(each -> lock.excused.add(each.from(), each.to()));
        this.requests.pauses.forEach(each -> lock.excused.add(each.from(), each.to()));
        lock.grants.sort((one, other) -> Long.compare(one.acquired.to(), other.acquired.to()));
        holds += lock.grants.size();
        for (int i = 1; i < lock.grants.size(); i++) {
            handOvers += process(lock.grants.get(i)).equals(process(lock.grants.get(i - 1))) ? 0 : 1;
        }
        return lock;
    }

    private static String process(Request request) {
        return request.invoked.process();
    }

    /** How often a lock was requested. */
    public long requests() {
        return asked;
    }

    /** How often one was granted. */
    public long holds() {
        return holds;
    }

    /** Requests that ended without the lock, by cause. */
    public Map<Cause, Integer> refusals() {
        return Map.copyOf(refusals);
    }

    /** How often a lock passed from one process to another. */
    public long handOvers() {
        return handOvers;
    }

    /** The longest wait for any one lock, without a grant to anybody, from the beginning of a fault. */
    public Duration longestOutage(long from, long to) {
        long longest = 0;
        for (Lock lock : locks.values()) {
            long since = from;
            for (Request grant : after(lock, from)) {
                longest = Math.max(longest, lock.waited.within(new Span(since, grant.acquired.to())));
                since = grant.acquired.to();
                if (since > to) {
                    break;
                }
            }
        }
        return Duration.ofNanos(longest);
    }

    /**
     * The longest wait for any one lock from the end of a fault until a grant. Excludes time in which somebody held it, there
     * was another fault, or some process did not run.
     */
    public Duration untilNextGrant(long healed) {
        long longest = 0;
        for (Lock lock : locks.values()) {
            List<Request> after = after(lock, healed);
            long granted = after.isEmpty() ? now : after.get(0).acquired.to();
            longest = Math.max(longest, waited(lock, lock.excused.gaps(healed, granted)));
        }
        return Duration.ofNanos(longest);
    }

    /**
     * How a lock passed from a process that had ended to another one. Excludes time in which nobody waited for it, there was a
     * fault, or some process did not run.
     *
     * @param afterEnd how long it took from the end of the process
     * @param afterLease how long from the end of the lease, if it had been renewed at the very end
     */
    public record Takeover(Duration afterEnd, Duration afterLease) {
    }

    /** One for each lock that the process held when it ended. */
    public List<Takeover> takeovers(String process) {
        var takeovers = new ArrayList<Takeover>();
        for (Lock lock : locks.values()) {
            for (Request each : lock.grants) {
                if (process(each).equals(process) && each.released == null && each.killedAt != Long.MAX_VALUE
                        && each.certain() && each.certainTo() > each.killedAt - LATELY) {
                    long free = each.killedAt + each.invoked.value();
                    List<Request> next = after(lock, each.killedAt);
                    if (!next.isEmpty()) {
                        long granted = next.get(0).acquired.to();
                        takeovers.add(new Takeover(Duration.ofNanos(undisturbed(lock, each.killedAt, granted)),
                                Duration.ofNanos(undisturbed(lock, free, granted))));
                    }
                }
            }
        }
        return takeovers;
    }

    private long undisturbed(Lock lock, long from, long to) {
        return waited(lock, disturbed.gaps(from, to));
    }

    private static long waited(Lock lock, List<Span> spans) {
        long sum = 0;
        for (Span each : spans) {
            sum += lock.waited.within(each);
        }
        return sum;
    }

    private static List<Request> after(Lock lock, long time) {
        int low = 0;
        int high = lock.grants.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lock.grants.get(middle).acquired.to() > time) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return lock.grants.subList(low, lock.grants.size());
    }
}
