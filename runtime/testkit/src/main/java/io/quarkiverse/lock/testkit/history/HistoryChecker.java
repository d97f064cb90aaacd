package io.quarkiverse.lock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Judges a history by the rules that hold on every backend. It needs no search, because all times come from one monotonic
 * clock, and takes no more time than sorting:
 * <ol>
 * <li>A holder is certain of a lock from when it was handed out until the last time its handle said it was valid, or until
 * somebody may have taken the lock by force. No two of these periods overlap, and none continues after a greater fencing token
 * has been handed out.</li>
 * <li>A request that failed without a definite answer may have been granted until its lease ended. It can excuse that a lock
 * was idle, but it is not a holder.</li>
 * <li>A register behind a fence takes writes in the order of their tokens, loses none of them, and refuses none from a holder
 * that is certain.</li>
 * <li>A handle is not valid after its release, after its loss, or a second time, nor for longer than its lease after the lock
 * was taken from it. Whatever is handed out stays valid for a while.</li>
 * <li>Every request is answered by its deadline, and no lock is idle while somebody waits. {@link HistoryEvent.Kind#FAULT},
 * {@link HistoryEvent.Kind#PAUSED} and {@link HistoryEvent.Kind#STALLED} say what a fault of the store or of the link to it
 * excuses.</li>
 * </ol>
 *
 * @param slack how long after its deadline a request may be answered, since threads may have to wait for a processor
 * @param rest how long a lock may be idle while somebody waits for it
 * @param recovery how long after a fault it may be idle in any case
 */
public record HistoryChecker(Duration slack, Duration rest, Duration recovery) {

    /** For a machine that also does other work, and for stores that within 1 s pass on a grant that nobody fetches. */
    public static final HistoryChecker STANDARD = new HistoryChecker(Duration.ofSeconds(2), Duration.ofMillis(2500),
            Duration.ofMillis(1500));

    /**
     * The violations in the history; none if the result is empty.
     *
     * @param events in any order, of a run that may still be going on
     * @param now the time up to which the events are complete
     */
    public List<Violation> check(Collection<HistoryEvent> events, long now) {
        var violations = new ArrayList<Violation>();
        var requests = new Requests(events);
        for (Map.Entry<String, List<Request>> each : requests.byName.entrySet()) {
            HolderRules.check(each.getKey(), each.getValue(), violations);
            long longestLease = each.getValue().stream().mapToLong(request -> request.invoked.value()).max().orElse(0);
            for (Request request : each.getValue()) {
                HandleRules.check(request, violations);
                HandleRules.checkTaken(request, longestLease, violations);
                WaiterRules.answer(request, requests, this, now, violations);
            }
            WaiterRules.progress(each.getKey(), each.getValue(), requests, this, now, violations);
        }
        requests.written.forEach((name, written) -> RegisterRules.writes(name, written, violations));
        RegisterRules.rejections(requests, violations);
        for (HistoryEvent granted : requests.granted) {
            HandleRules.checkArrival(granted, violations);
        }
        return violations;
    }
}
