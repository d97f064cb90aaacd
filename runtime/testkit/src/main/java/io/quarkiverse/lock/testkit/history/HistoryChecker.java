package io.quarkiverse.lock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Judges a history by what has to hold on every backend. Needs no search, because all times come from one monotonic clock, and
 * no more time than sorting takes:
 * <ol>
 * <li>A holder is certain of a lock from when it was handed out until the last time that its handle said it was valid, or until
 * somebody may have taken the lock by force. No two of these times overlap, and none goes on when a greater fencing token has
 * been handed out.</li>
 * <li>A request that failed without a certain answer may have been granted until its lease ended; it can excuse that a lock
 * rested, and is no holder.</li>
 * <li>A register behind a fence takes writes in the order of their tokens, loses none of them, and refuses none of a holder
 * that is certain.</li>
 * <li>A handle is not valid after its release, after its loss, or again, nor for longer than its lease after the lock was taken
 * from it; and whatever is handed out is good for a while.</li>
 * <li>Every request is answered by its deadline, and no lock rests while somebody waits. What a fault of the store or of the
 * way to it excuses is said by {@link HistoryEvent.Kind#FAULT}, {@link HistoryEvent.Kind#PAUSED} and
 * {@link HistoryEvent.Kind#STALLED}.</li>
 * </ol>
 *
 * @param slack how much later than its deadline a request may be answered, for want of a processor
 * @param rest how long a lock may rest while somebody waits for it
 * @param recovery how long after a fault it may rest in any case
 */
public record HistoryChecker(Duration slack, Duration rest, Duration recovery) {

    /** For a machine that is busy with other things too, and stores that hand on what nobody fetches within 1 s. */
    public static final HistoryChecker STANDARD = new HistoryChecker(Duration.ofSeconds(2), Duration.ofMillis(2500),
            Duration.ofMillis(1500));

    /**
     * What is wrong with the history; nothing if it is empty.
     *
     * @param events in any order, of a run that may still be going on
     * @param now up to when they are complete
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
